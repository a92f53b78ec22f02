import type { HLJSApi, LanguageFn } from 'highlight.js';
import { createStore } from '../state/store.ts';

/*
 * Syntax highlighting. The library and each language are loaded with the first code that needs
 * them.
 */

const LANGUAGES: Readonly<Record<string, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const ALIASES: Readonly<Record<string, string>> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  h: 'c',
  'c++': 'cpp',
  cc: 'cpp',
  hpp: 'cpp',
  patch: 'diff',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  jsonc: 'json',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  ts: 'typescript',
  tsx: 'typescript',
  html: 'xml',
  svg: 'xml',
  yml: 'yaml',
};

/** Code longer than this is not highlighted. */
const LONGEST = 20_000;
/** The limit is lower for Markdown, whose grammar takes cubic time for brackets. */
const LONGEST_OF: Readonly<Record<string, number>> = { markdown: 2000 };
/**
 * Code with longer words or gaps is not highlighted either, because some grammars scan the rest of
 * such a word or gap for each character.
 */
const LONG_RUN = /[\p{L}\p{N}_$]{200}|\s{200}/u;

export const canHighlight = (code: string, language: string): boolean =>
  code.length <= (LONGEST_OF[language] ?? LONGEST) && !LONG_RUN.test(code);

/** Increases with each loaded language. */
export const languages = createStore(0);
const loaded = new Set<string>();
const loading = new Set<string>();
let library: HLJSApi | null = null;

export function languageOf(name: string): string | null {
  const plain = name.trim().toLowerCase();
  const known = ALIASES[plain] ?? plain;
  return Object.hasOwn(LANGUAGES, known) ? known : null;
}

export const languageOfPath = (path: string): string | null =>
  languageOf(/\.([a-z+]+)$/i.exec(path)?.[1] ?? '');

export interface Piece {
  readonly scope: string | null;
  readonly children: readonly (Piece | string)[];
}

/** Null if the code is not highlighted, or until its language has loaded. */
export function highlight(code: string, language: string | null): Piece | null {
  if (language === null || !canHighlight(code, language)) return null;
  if (library === null || !loaded.has(language)) {
    void load(language);
    return null;
  }
  const { _emitter: emitter } = library.highlight(code, { language, ignoreIllegals: true });
  // The tree from which the library would generate HTML, so that no HTML needs parsing.
  return (emitter as unknown as { rootNode: Piece }).rootNode;
}

async function load(language: string): Promise<void> {
  const bring = LANGUAGES[language];
  if (bring === undefined || loading.has(language)) return;
  loading.add(language);
  try {
    const [{ default: core }, { default: grammar }] = await Promise.all([
      import('highlight.js/lib/core'),
      bring(),
    ]);
    core.registerLanguage(language, grammar);
    library = core;
    loaded.add(language);
    languages.set(languages.get() + 1);
  } catch {
    // The code is not highlighted for now; the next code block in this language tries again.
    loading.delete(language);
  }
}
