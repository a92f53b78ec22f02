import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { en } from './en/all.ts';
import { rest } from './en/rest.ts';
import { EVENT_NOTES } from './event-notes.ts';
import { ja } from './ja/all.ts';

/* Both languages are complete, and no text is unused. */

type Tree = { readonly [key: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Texts and templates by their path, such as `shell.themes.dark`. */
function leaves(tree: Tree, path = ''): [path: string, text: unknown][] {
  return Object.entries(tree).flatMap(([key, value]): [string, unknown][] =>
    isTree(value) ? leaves(value, `${path}${key}.`) : [[`${path}${key}`, value]],
  );
}

const sources = globSync('web/**/*.{ts,tsx}', { exclude: ['web/texts/**', 'web/**/*.test.ts'] })
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

it('[C2] both languages have the same texts with the same parameters, and none is empty', () => {
  const shape = (tree: Tree) =>
    leaves(tree).map(([path, text]) => [path, typeof text === 'function' ? text.length : 'text']);
  expect(shape(ja)).toEqual(shape(en));
  for (const [path, text] of [...leaves(en), ...leaves(ja)]) {
    expect([path, typeof text === 'string' && text.trim() === '']).toEqual([path, false]);
  }
});

/**
 * A text is used if the code contains its screen and first name (`t.shell.themes`, `{ themes } =
 * t.shell`), or if the screen was passed on and the name appears alone (`words.deny`).
 */
function isUsed(path: string): boolean {
  const [screen, name] = path.split('.');
  if (new RegExp(`\\b${screen}\\s*\\.\\s*${name}\\b`).test(sources)) return true;
  if (new RegExp(`\\{[^{}]*\\b${name}\\b[^{}]*\\} = t\\.${screen}\\b`).test(sources)) return true;
  if (screen === 'agents') return isUsedByKind(path.split('.').at(-1) ?? '');
  const isGiven = new RegExp(`\\bt\\.${screen}\\b(?!\\s*\\.)`).test(sources);
  return isGiven && new RegExp(`\\b(?:words|texts)\\.${name}\\b`).test(sources);
}

/** The texts of an agent are read by its kind: `t.agents[kind].name`, `{ name } = t.agents[kind]`. */
const isUsedByKind = (name: string): boolean =>
  new RegExp(`\\bt\\.agents\\[[^\\]]+\\]+\\.${name}\\b|\\{ ${name} \\} = t\\.agents\\[`).test(
    sources,
  );

it('[C2] every text is used', () => {
  const unused = leaves(en).filter(([path]) => !isUsed(path));
  expect(unused.map(([path]) => path)).toEqual([]);
});

/** Names, symbols and commands that are the same in every language. */
const ALIKE: readonly RegExp[] = [
  /^common\.lessThanACent$/,
  /^common\.channels\.(web|api|line|webhook)$/,
  /^agents\.claude\.name$/,
  /^detail\.(id|providers\.coder)$/,
  /^newSession\.commandHint$/,
];

it('[C2] only listed texts are the same in both languages', () => {
  const japanese = new Map(leaves(ja));
  const alike = leaves(en).filter(
    ([path, text]) =>
      typeof text === 'string' &&
      japanese.get(path) === text &&
      !ALIKE.some((each) => each.test(path)),
  );
  expect(alike.map(([path, text]) => `${path}: ${String(text)}`)).toEqual([]);
});

const script = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

it('[C2] Japanese texts are in Japanese, and English ones are not', () => {
  const sample = (text: unknown): string =>
    typeof text === 'function' ? String(text(2, 2, 2, 2)) : String(text);
  const odd = leaves(en).filter(([, text]) => script.test(sample(text)));
  expect(odd.map(([path]) => path)).toEqual([]);
  const foreign = leaves(ja).filter(
    ([path, text]) =>
      !script.test(sample(text)) &&
      /[a-z]{2}/i.test(sample(text)) &&
      !ALIKE.some((each) => each.test(path)),
  );
  expect(foreign.map(([path]) => path)).toEqual([]);
});

it('[C2] each note about an event is in the right language', () => {
  for (const { en: english, ja: japanese } of Object.values(EVENT_NOTES)) {
    expect([english({}), script.test(english({})), script.test(japanese({}))]).toEqual([
      expect.stringMatching(/./),
      false,
      true,
    ]);
  }
});

it('[C2] texts that are loaded with their pages are used only there', () => {
  const router = readFileSync('web/router.tsx', 'utf8');
  const pages = [...router.matchAll(/withRest\(\(\) => import\('\.\/([\w-]+)\//g)];
  // The editor of tool rules is part of two of these pages.
  const folders = [...pages.map(([, folder]) => folder), 'tool-rules'];
  const withRest = new RegExp(`^web/(${folders.join('|')})/`);
  const files = globSync('web/**/*.{ts,tsx}', { exclude: ['web/texts/**', 'web/**/*.test.ts'] });
  const others = files.filter((file) => !withRest.test(file));
  const used = new RegExp(`\\bt\\.(${Object.keys(rest).join('|')})\\b`);
  expect(others.filter((file) => used.test(readFileSync(file, 'utf8')))).toEqual([]);
});
