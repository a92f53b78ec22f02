import { isInside } from './path-match.ts';
import { isFlag } from './words/flag-needs.ts';

/** One entry of a command set: which programs, and how they may be called. */
export interface SetEntry {
  /** The first words of the command. */
  readonly words: string;
  /**
   * The allowed options. The list also applies after `--`, because a word there may be an option's
   * value or be passed to another program. `-n=` means that the value may be in the same word; `-NUM`
   * stands for a number. If missing, any option is allowed; this is for programs whose options are
   * all harmless.
   */
  readonly only?: ReadonlySet<string>;
  /** The program's options are whole words, such as `-name`, never groups of letters. */
  readonly wholeWords?: true;
  /**
   * The allowed words other than options and their values: one of these, or with `inside` any path
   * inside the workspace. If missing, any word is allowed.
   */
  readonly operands?: readonly string[] | 'inside';
  /** Strings that no word may contain. */
  readonly never?: readonly string[];
  /** Strings that no word may begin with. */
  readonly neverFirst?: readonly string[];
  /** What the command reads; by default, the files it names. */
  readonly reads?: Reads;
  /**
   * If the command has no options other than these, it reads only what `readsNamed` says; by
   * default, the files it names.
   */
  readonly named?: ReadonlySet<string>;
  readonly readsNamed?: Reads;
  /** A word that begins with one of these may stand for more than the files it names. */
  readonly neverNamed?: readonly string[];
}

export const options = (...lists: (string | ReadonlySet<string>)[]): ReadonlySet<string> =>
  new Set(lists.flatMap((some) => (typeof some === 'string' ? some.split(' ') : [...some])));

export const NO_OPTIONS: ReadonlySet<string> = new Set();
export const NO_WORDS: readonly string[] = [];

export const each = (names: string, rest: Omit<SetEntry, 'words'> = {}): SetEntry[] =>
  names.split(', ').map((words) => ({ words, ...rest }));

/**
 * What a command reads: only `names` and no content, the `files` it names, everything in the
 * `folders` it names, or the working directory's whole `tree` as well. `repository` is for git
 * commands that read only the `folders` they name, but change files of the whole repository.
 */
export type Reads = 'names' | 'files' | 'folders' | 'repository' | 'tree';

/** What is read by a call that matches the entry. */
export function readsOf(
  { words, reads, named, readsNamed, neverNamed = [] }: SetEntry,
  call: readonly string[],
): Reads {
  const rest = call.slice(words.split(' ').length);
  const namesAll =
    named !== undefined &&
    rest.every((word) =>
      isFlag(word)
        ? valueIn(word, named, false) !== null
        : !neverNamed.some((start) => word.startsWith(start)),
    );
  return (namesAll ? readsNamed : reads) ?? 'files';
}

/** Whether the words start with the entry's words, whatever follows. */
export const startsWithEntry = (entry: SetEntry, words: readonly string[]): boolean =>
  entry.words.split(' ').every((word, at) => words[at] === word);

/** Whether the words of a plain command match the entry. `cwd` is where it runs, if known. */
export function matchesEntry(entry: SetEntry, words: readonly string[], cwd?: string): boolean {
  const start = entry.words.split(' ');
  if (!startsWithEntry(entry, words)) return false;
  const { operands, never, neverFirst } = entry;
  const isOperand = (word: string): boolean =>
    operands === undefined ||
    (operands === 'inside' ? isInside(word, cwd) : operands.includes(word));
  for (const word of words.slice(start.length)) {
    if (never?.some((part) => word.includes(part))) return false;
    if (neverFirst?.some((part) => word.startsWith(part))) return false;
    if (!isFlag(word)) {
      if (word !== '--' && !isOperand(word)) return false;
    } else if (entry.only !== undefined) {
      const value = valueIn(word, entry.only, entry.wholeWords === true);
      if (value === null) return false;
      if (value !== '' && operands === 'inside' && !isInside(value, cwd)) return false;
    }
  }
  return true;
}

/**
 * The value that is in the same word as an allowed option, possibly empty; null if the option is
 * not allowed.
 */
function valueIn(word: string, only: ReadonlySet<string>, wholeWords: boolean): string | null {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word : word.slice(0, equals);
  // An "=" after a letter does not start a value: the program would read it as one more letter.
  const isLetter = !wholeWords && /^-[^-]$/.test(name);
  if (only.has(name) && !(isLetter && equals !== -1))
    return equals === -1 ? '' : word.slice(equals + 1);
  if (wholeWords || word.startsWith('--')) return null;
  if (/^-\d+$/.test(word)) return only.has('-NUM') ? '' : null;
  for (let at = 1; at < word.length; at++) {
    if (only.has(`-${word[at]}=`)) return word.slice(at + 1);
    if (!only.has(`-${word[at]}`)) return null;
  }
  return '';
}
