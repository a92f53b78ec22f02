import { isInside } from './path-match.ts';

/** One line of a set of commands: which programs, and how they may be called. */
export interface SetEntry {
  /** The first words of the command. */
  readonly words: string;
  /**
   * The options it may have, wherever they stand: behind `--` they may be the value of an option, or
   * reach another program. `-n=` may have its value in the same word, `-NUM` is a number. Any option
   * if not said, for programs whose options are all harmless.
   */
  readonly only?: ReadonlySet<string>;
  /** Its options are whole words, such as `-name`, and never letters that stand together. */
  readonly wholeWords?: true;
  /**
   * The words it may have besides options and their values: one of these, or a path inside the
   * workspace. Any word if not said.
   */
  readonly operands?: readonly string[] | 'inside';
  /** What none of its words may contain. */
  readonly never?: readonly string[];
  /** What none of its words may begin with. */
  readonly neverFirst?: readonly string[];
  /** What it reads; the files it names if not said. */
  readonly reads?: Reads;
  /** With no other options than these it reads only what it names: the files, if not said. */
  readonly named?: ReadonlySet<string>;
  readonly readsNamed?: Reads;
}

export const options = (...lists: (string | ReadonlySet<string>)[]): ReadonlySet<string> =>
  new Set(lists.flatMap((some) => (typeof some === 'string' ? some.split(' ') : [...some])));

export const NO_OPTIONS: ReadonlySet<string> = new Set();
export const NO_WORDS: readonly string[] = [];

export const each = (names: string, rest: Omit<SetEntry, 'words'> = {}): SetEntry[] =>
  names.split(', ').map((words) => ({ words, ...rest }));

const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-') && word !== '--';

/**
 * What a command reads: no content but `names`, the `files` it names, all in the `folders` it names,
 * or all in the `tree` of the working directory, too.
 */
export type Reads = 'names' | 'files' | 'folders' | 'tree';

/** What a call that is meant by the entry reads. */
export function readsOf(
  { words, reads, named, readsNamed }: SetEntry,
  call: readonly string[],
): Reads {
  const flags = call.slice(words.split(' ').length).filter(isFlag);
  const namesAll =
    named !== undefined && flags.every((flag) => valueIn(flag, named, false) !== null);
  return (namesAll ? readsNamed : reads) ?? 'files';
}

/** Whether the words begin as those of the entry, whatever follows. */
export const beginsLike = (entry: SetEntry, words: readonly string[]): boolean =>
  entry.words.split(' ').every((word, at) => words[at] === word);

/** Whether the words of a plain command are such a call. `cwd` is where it runs, if that is known. */
export function isOf(entry: SetEntry, words: readonly string[], cwd?: string): boolean {
  const start = entry.words.split(' ');
  if (!beginsLike(entry, words)) return false;
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

/** The value that stands in the same word as an allowed option, or nothing; null if it is none. */
function valueIn(word: string, only: ReadonlySet<string>, wholeWords: boolean): string | null {
  const equals = word.indexOf('=');
  const name = equals === -1 ? word : word.slice(0, equals);
  // A letter has no value behind a "=": that would be one more letter.
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
