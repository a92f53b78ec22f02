import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { NOTICES } from '../src/server/web/paths.ts';

/** Packages that add code to the build without being bundled as modules. */
const ALSO = ['tailwindcss', 'vite', 'rolldown'];
const LICENCE = /^(licen[cs]e|copying|notice)([.-]|$)/i;
const RULE = '-'.repeat(80);

/** Writes the licences of all libraries in the built app; most of them require it. */
export const licenceNotices = (modules: string): Plugin => ({
  name: 'baton:licence-notices',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const ids = chunks.flatMap(({ moduleIds }) => moduleIds);
    const folders = [...ids.flatMap(packageOf), ...ALSO.map((name) => join(modules, name))];
    const source = noticesOf([...new Set(folders)].sort());
    this.emitFile({ type: 'asset', fileName: `assets/${NOTICES}`, source });
  },
});

/** The package folder of a module. */
function packageOf(id: string): string[] {
  const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  return folder === undefined ? [] : [folder];
}

/** Packages with the same licence text share one copy of it. */
function noticesOf(folders: readonly string[]): string {
  const byText = new Map<string, string[]>();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    const text = licenceOf(folder) ?? `Licence: ${license}. Author: ${author}.`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}`);
  return `Baton's web app contains these libraries.\n\n${RULE}\n${parts.join(`\n\n${RULE}\n`)}\n`;
}

function licenceOf(folder: string): string | null {
  const files = readdirSync(folder).filter((name) => LICENCE.test(name));
  if (files.length === 0) return null;
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}
