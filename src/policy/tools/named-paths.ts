import type { Command } from './command-match.ts';
import { entryOf, namedEntryOf } from './command-sets.ts';
import {
  holdsProcesses,
  type NamedPath,
  type Place,
  readingsOf,
  segmentsOf,
} from './path-match.ts';
import { type Reads, readsOf } from './set-entry.ts';
import { PATH_MAX, shortened } from './short-path.ts';

/* Which files a command may mean by its words. What a program makes of a word is not known. */

/** Where names really lead, links followed, by the name as it is written. */
export type RealPaths = ReadonlyMap<string, { readonly path: string; readonly folder: boolean }>;

/** Each name is compared with every rule about paths, and an agent may write as many as it likes. */
const NAMES_MAX = 1000;
const CHARACTERS_MAX = 32 * 1024;
/** Letters of options that may stand before a value in one word, in any word. */
const LETTERS = 20;
/** And more of them, as long as each may be one; the limits above end that. */
const MORE_LETTERS = /^-[!-.0-<>-~]*/;

/** Programs after which relative names mean something else. */
export const MOVES: ReadonlySet<string> = new Set(['cd', 'chdir', 'pushd', 'popd']);

/**
 * What a command of these words reads. Of one that is in no set all is possible, and an option that
 * is not listed makes no program read less.
 */
export function readsOfWords(words: readonly string[], cwd: string | undefined): Reads {
  const entry = entryOf('safe', words, cwd);
  if (entry !== null) return readsOf(entry, words);
  const [program = '', command = ''] = words;
  if (MOVES.has(program)) return 'names';
  if (SEARCHES.has(program) || (program === 'git' && !NO_CONTENT.has(command))) return 'tree';
  return namedEntryOf(words)?.reads === 'tree' ? 'tree' : 'folders';
}

/** Programs in no set that search the working directory by default. */
const SEARCHES: ReadonlySet<string> = new Set(['ag', 'ack', 'ugrep', 'ug', 'pt', 'sift']);

/** Commands of git that print no content of files. Any other one may, in whatever revision. */
const NO_CONTENT: ReadonlySet<string> = new Set(
  'add am branch checkout cherry-pick clean clone commit config fetch gc init merge mv pull push rebase remote reset restore revert rm switch tag worktree'.split(
    ' ',
  ),
);

/** What may be a path among the words, in any form; null if that is too much to be compared. */
export function namesIn(words: ReadonlySet<string>): ReadonlySet<string> | null {
  const { names, isAll } = firstNamesIn(words, NAMES_MAX, CHARACTERS_MAX);
  return isAll ? names : null;
}

/** The same, as much of it as can be compared. */
export function firstNamesIn(
  words: ReadonlySet<string>,
  most: number,
  mostCharacters: number,
): { readonly names: ReadonlySet<string>; readonly isAll: boolean } {
  const names = new Set<string>();
  let characters = 0;
  for (const word of words) {
    for (const name of namesOf(shortened(word))) {
      if (name === '' || name.length > PATH_MAX || names.has(name)) continue;
      names.add(name);
      characters += name.length;
      if (names.size > most || characters > mostCharacters) return { names, isAll: false };
    }
  }
  return { names, isAll: true };
}

/** Also `--file=path`, `-fpath`, `HEAD:path`, `@path`, `:(top)path`, `a,path`. */
function* namesOf(word: string): Iterable<string> {
  yield word;
  if (/^-[^-]/.test(word)) {
    const letters = Math.max(LETTERS, MORE_LETTERS.exec(word)![0].length);
    for (let at = 2; at <= Math.min(word.length - 1, letters); at++) yield word.slice(at);
  }
  // What stands behind the first sign, behind the second, …, and between two of them.
  const end = word.slice(-PATH_MAX);
  for (const { index } of end.matchAll(/[=:,@)]/g)) {
    const rest = end.slice(index + 1);
    yield rest;
    yield rest.split(/[=:,@)]/, 1)[0]!;
  }
}

/** The paths that names stand for, as they are written and where they really lead. */
export function pathsOf(
  names: Iterable<string>,
  place: Place,
  real: RealPaths | undefined,
): NamedPath[] {
  return [...names].flatMap((name) => {
    const found = real?.get(name);
    const wildcard = name.search(/[*?[{]/);
    // A program may know wildcards of its own, and these lead to anything in a folder.
    const folder = wildcard === -1 ? name : name.slice(0, name.lastIndexOf('/', wildcard) + 1);
    const written = [name, ...(folder === name ? [] : [folder || '.'])].flatMap((one) =>
      readingsOf(one, place).map((path) => ({
        path,
        folder: one !== name || (found?.folder ?? isFolder(one)),
      })),
    );
    const really = found && { path: segmentsOf(found.path, place), folder: found.folder };
    return [...written, ...(really ? [really] : [])].flatMap(({ path, folder: holds }) =>
      path === null
        ? []
        : [{ path: path.map((one) => one.toLowerCase()), folder: holds || holdsProcesses(path) }],
    );
  });
}

/** Of what nobody has seen, as it is written. */
const isFolder = (name: string): boolean => /(?:^|\/)(?:\.{1,2})?$|^~$/.test(name);

/** All that a command names; null if that is too much to be compared. */
export function namedBy(
  { distinct }: Command,
  place: Place,
  real: RealPaths | undefined,
): NamedPath[] | null {
  const names = namesIn(distinct());
  return names && pathsOf(names, place, real);
}
