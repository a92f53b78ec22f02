import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  plugins: [react(), tailwind()],
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    // The browsers that have what the style sheet uses (light-dark, color-mix, dvh).
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // An icon inside the document would be a request less, but the CSP is simpler this way.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
});
