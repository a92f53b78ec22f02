import type { Command } from './command-match.ts';
import { entryOf, namedEntryOf } from './command-sets.ts';
import {
  holdsProcesses,
  type Location,
  type NamedPath,
  readingsOf,
  segmentsOf,
} from './path-match.ts';
import { type Reads, readsOf } from './set-entry.ts';
import { perWords } from './words/per-words.ts';
import { baseName } from './words/plain-words.ts';
import { PATH_MAX, shortened } from './words/short-path.ts';

/* The files that a command's words may name. How a program will interpret a word is unknown. */

/** Where names lead when links are followed, keyed by the name as written. */
export type RealPaths = ReadonlyMap<string, { readonly path: string; readonly folder: boolean }>;

/** Each name is compared with every path rule, and an agent can write as many names as it likes. */
const NAMES_MAX = 1000;
const CHARACTERS_MAX = 32 * 1024;
/** How often the same names may occur, on average, because finding them again takes time too. */
const REPEATS_MAX = 16;
/** How many characters at the start of any word may be option letters that precede a value. */
const LETTERS = 20;
/**
 * If every character can be an option letter, more than LETTERS of them are considered; the limits
 * above still apply.
 */
const MORE_LETTERS = /^-[!-.0-<>-~]*/;

/** Programs that change the directory, and so the meaning of relative names. */
export const MOVES: ReadonlySet<string> = new Set(['cd', 'chdir', 'pushd', 'popd']);

/**
 * What kinds of files a command with these words may read. A command that is in neither set may read everything, and
 * an unlisted option is assumed never to reduce what a program reads.
 */
export const readsOfWords = perWords((words, cwd): Reads => {
  const entry = entryOf('safe', words, cwd);
  if (entry !== null) return readsOf(entry, words);
  const [program = '', command = ''] = words;
  if (MOVES.has(program)) return 'names';
  const isGit = baseName(program) === 'git';
  if (SEARCHES.has(program) || (isGit && !NO_CONTENT.has(command))) return 'tree';
  if (namedEntryOf(words)?.reads === 'tree') return 'tree';
  return isGit && CHANGES_ALL.has(command) ? 'repository' : 'folders';
});

/** Programs that are in neither set and search the working directory by default. */
const SEARCHES: ReadonlySet<string> = new Set(['ag', 'ack', 'ugrep', 'ug', 'pt', 'sift']);

/**
 * Git commands that print no file contents. Any other git command may print the contents of any
 * revision.
 */
const NO_CONTENT: ReadonlySet<string> = new Set(
  'add am branch checkout cherry-pick clean clone commit config fetch gc init merge mv pull push rebase remote reset restore revert rm switch tag worktree'.split(
    ' ',
  ),
);

/** Git commands that may change files anywhere in the repository. */
const CHANGES_ALL: ReadonlySet<string> = new Set(
  'add am checkout cherry-pick clean commit merge pull rebase reset restore revert rm switch'.split(
    ' ',
  ),
);

/** Higher limits, for names that are compared with only a few paths. */
const ALL_NAMES_MAX = 5000;
const ALL_CHARACTERS_MAX = 256 * 1024;

/** The names in the words that are compared with Baton's own files, and whether these are all. */
export const allNamesIn = (words: ReadonlySet<string>): FirstNames =>
  firstNamesIn(words, ALL_NAMES_MAX, ALL_CHARACTERS_MAX);

/** Everything in the words that may be a path; null if there is too much to compare. */
export function namesIn(words: ReadonlySet<string>): ReadonlySet<string> | null {
  const { names, isAll } = firstNamesIn(words, NAMES_MAX, CHARACTERS_MAX);
  return isAll ? names : null;
}

interface FirstNames {
  readonly names: ReadonlySet<string>;
  readonly isAll: boolean;
}

/** Stops at the given limits and says whether it found all names. */
function firstNamesIn(
  words: ReadonlySet<string>,
  maxNames: number,
  maxCharacters: number,
): FirstNames {
  const names = new Set<string>();
  let characters = 0;
  let read = 0;
  for (const word of words) {
    for (const name of namesOf(openable(shortened(word)))) {
      read += name.length;
      if (read > REPEATS_MAX * maxCharacters) return { names, isAll: false };
      if (name === '' || name.length > PATH_MAX || names.has(name)) continue;
      names.add(name);
      characters += name.length;
      if (names.size > maxNames || characters > maxCharacters) return { names, isAll: false };
    }
  }
  return { names, isAll: true };
}

/**
 * If the path is too long to open at once, returns only its leading folders, which a program may
 * open one by one.
 */
const openable = (path: string): string =>
  path.length > PATH_MAX ? path.slice(0, path.lastIndexOf('/', PATH_MAX) + 1) || path : path;

/**
 * The word, and the paths in `--file=path`, `-fpath`, `HEAD:path`, `@path`, `:(top)path`, `a,path`.
 */
function* namesOf(word: string): Iterable<string> {
  yield word;
  if (/^-[^-]/.test(word)) {
    const letters = Math.max(LETTERS, MORE_LETTERS.exec(word)![0].length);
    for (let at = 2; at <= Math.min(word.length - 1, letters); at++) yield word.slice(at);
  }
  // Yields the text before the first separator, after each separator, and between adjacent ones.
  const end = word.slice(-PATH_MAX);
  const before = end.search(/[=:,@)]/);
  if (before > 0) yield end.slice(0, before);
  const separators = [...end.matchAll(/[=:,@)]/g)].map(({ index }) => index);
  for (const [at, separator] of separators.entries()) {
    yield end.slice(separator + 1);
    yield end.slice(separator + 1, separators[at + 1]);
  }
}

/** The longest text in which paths are looked for. */
const INSIDE_MAX = 16 * 1024;
/** More parts than a person would write in one command. */
const PARTS_MAX = 200;

/** Paths inside words: scripts (`python3 -c "open('/x')"`, `sed "r /x"`) and `-v /x:/y;z`. */
export function pathsInside(words: ReadonlySet<string>): ReadonlySet<string> | null {
  const parts = new Set<string>();
  let characters = 0;
  for (const word of words) {
    const script = /^[\d,$]*(?:[a-z](?=[~/])|[rw](?=\.))/i.exec(word)?.[0];
    if (script !== undefined) parts.add(word.slice(script.length));
    if (!/[^\p{L}\p{N}_.~/+=:,@-]/u.test(word)) continue;
    characters += word.length;
    if (characters > INSIDE_MAX) return null;
    for (const part of word.split(/[^\p{L}\p{N}_.~/+-]+/u)) {
      if (part.includes('/')) parts.add(part).add(part.slice(part.search(/[~./]/)));
      else if (part.includes('.')) parts.add(part);
    }
    if (parts.size > PARTS_MAX) return null;
  }
  return parts;
}

/** The paths that the names stand for, both as written and where they really lead. */
export function pathsOf(
  names: Iterable<string>,
  location: Location,
  real: RealPaths | undefined,
): NamedPath[] {
  return [...names].flatMap((name) => {
    const target = real?.get(name);
    const wildcard = name.search(/[*?[{]/);
    // A program may expand wildcards itself, to anything in the folder.
    const folder = wildcard === -1 ? name : name.slice(0, name.lastIndexOf('/', wildcard) + 1);
    const written = [name, ...(folder === name ? [] : [folder || '.'])].flatMap((one) =>
      readingsOf(one, location).map((path) => ({
        path,
        folder: one !== name || (target?.folder ?? isFolder(one)),
      })),
    );
    const resolved = target && { path: segmentsOf(target.path, location), folder: target.folder };
    return [...written, ...(resolved ? [resolved] : [])].flatMap(({ path, folder: holds }) =>
      path === null
        ? []
        : [{ path: path.map((one) => one.toLowerCase()), folder: holds || holdsProcesses(path) }],
    );
  });
}

/** Guesses from the spelling whether a name that was not looked up is a folder. */
const isFolder = (name: string): boolean => /(?:^|\/)(?:\.{1,2})?$|^~$/.test(name);

/** All paths that a command names; null if there are too many to compare. */
export function namedBy(
  { distinct, quoted: quotedIn }: Command,
  location: Location,
  real: RealPaths | undefined,
): NamedPath[] | null {
  const words = distinct();
  const [names, inside, quoted] = [namesIn(words), pathsInside(words), quotedIn()];
  if (names === null || inside === null || quoted === null) return null;
  const unsure = pathsOf(inside, location, real).map((named) => ({ ...named, unsure: true }));
  return [...pathsOf([...names, ...quoted], location, real), ...unsure];
}
