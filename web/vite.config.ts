import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { operations } from '../src/contract/api/operations.ts';
import { licenceNotices } from './licence-notices.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The API operations without their schemas, which the page does not need. */
const apiOperations = (): Plugin => ({
  name: 'baton:operations',
  resolveId: (id) => (id === 'virtual:operations' ? `\0${id}` : null),
  load: (id) =>
    id === '\0virtual:operations'
      ? `export const operations = ${JSON.stringify(operations)};`
      : null,
});

export default defineConfig({
  root: here('.'),
  plugins: [react(), tailwind(), apiOperations(), licenceNotices(here('../node_modules'))],
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    // Browsers that support what the style sheet uses (light-dark, color-mix, dvh).
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // Inlining the icon would save a request, but complicate the CSP.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // One file for everything that all pages need, because one file compresses better than
        // thirty.
        codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] },
      },
    },
  },
});
