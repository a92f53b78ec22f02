export const isFlag = (word: string): boolean =>
  word.length > 1 && word.startsWith('-') && word !== '--';

/** Long names of the short options that typically appear in deny rules. */
const LONG = new Map([
  ['r', 'recursive'],
  ['R', 'recursive'],
  ['f', 'force'],
]);
/** A longer `-word` is one option, as in find and go, not a group of letters. */
const LETTERS_MAX = 4;

/**
 * One option that a rule requires, given by its long name or by one of these letters in a group.
 */
interface Need {
  readonly long: string | null;
  readonly letters: string;
}

/** The options that a rule requires, in any spelling: `-rf` is also `-fr`, `-r -f`, `--recursive --force`. */
export class FlagNeeds {
  readonly #flags: readonly { readonly whole: string; readonly needs: readonly Need[] | null }[];

  constructor(flags: readonly string[]) {
    this.#flags = flags.map((whole) => ({ whole, needs: needsOf(whole) }));
  }

  /** Looks the options up in a command, once for all its parts. */
  in(options: GivenOptions): NeedsInCommand {
    return new NeedsInCommand(
      options,
      this.#flags.map(({ whole, needs }) => ({
        whole: options.positionsOf(whole),
        each:
          needs === null
            ? [options.positionsOf(`-${whole}`)]
            : needs.map((need) => options.positionsOfNeed(need)),
      })),
    );
  }
}

/** Ascending lists of positions in a command; an option is given at any of them. */
type Positions = readonly (readonly number[])[];

/** The options that a rule requires, and where a command gives them. */
export class NeedsInCommand {
  /** At most this many lists are searched for each part of the command. */
  readonly lookups: number;
  readonly #options: GivenOptions;
  readonly #flags: readonly { readonly whole: Positions; readonly each: readonly Positions[] }[];

  constructor(
    options: GivenOptions,
    flags: readonly { readonly whole: Positions; readonly each: readonly Positions[] }[],
  ) {
    this.#options = options;
    this.#flags = flags;
    this.lookups = flags.flatMap(({ whole, each }) => [whole, ...each]).flat().length + 1;
  }

  /**
   * Whether the words from `from` up to `to` include all of these options; `--` ends the options.
   */
  areIn(from: number, to: number): boolean {
    if (this.#flags.length === 0) return true;
    const end = this.#options.endFrom(from, to);
    return this.#flags.every(
      ({ whole, each }) =>
        has(whole, from, end) || each.every((positions) => has(positions, from, end)),
    );
  }
}

/**
 * Where the options of a command are, indexed once for all rules. The time to check a rule depends
 * on the rule's length, not the command's.
 */
export class GivenOptions {
  /** Positions in ascending order, by whole word, by letter of a group, and by long name. */
  readonly #words = new Map<string, number[]>();
  readonly #letters = new Map<string, number[]>();
  readonly #names = new Map<string, number[]>();
  /** The positions of all `--`, and of only those that are not the value of a preceding option. */
  readonly #dashes: number[] = [];
  readonly #ends: number[] = [];

  constructor(words: readonly string[]) {
    for (const [at, word] of words.entries()) {
      if (word === '--') {
        this.#dashes.push(at);
        if (at === 0 || !isFlag(words[at - 1]!)) this.#ends.push(at);
      } else if (isFlag(word)) {
        add(this.#words, word, at);
        if (word.startsWith('--')) add(this.#names, word.slice(2).split('=', 1)[0]!, at);
        else for (const letter of new Set(word.slice(1))) add(this.#letters, letter, at);
      }
    }
  }

  /** Where the options that begin at `from` end. The first word is never an option's value. */
  endFrom(from: number, to: number): number {
    if (this.#dashes[firstFrom(this.#dashes, from)] === from) return from;
    return Math.min(to, this.#ends[firstFrom(this.#ends, from)] ?? to);
  }

  positionsOf = (word: string): Positions => present([this.#words.get(word)]);

  /** Long options can be abbreviated. */
  positionsOfNeed({ long, letters }: Need): Positions {
    const names = [];
    for (let length = 1; long !== null && length <= long.length; length++)
      names.push(this.#names.get(long.slice(0, length)));
    return present([...names, ...[...letters].map((letter) => this.#letters.get(letter))]);
  }
}

const present = (lists: readonly (readonly number[] | undefined)[]): Positions =>
  lists.filter((positions) => positions !== undefined);

function add(index: Map<string, number[]>, key: string, at: number): void {
  const positions = index.get(key);
  if (positions === undefined) index.set(key, [at]);
  else positions.push(at);
}

const has = (lists: Positions, from: number, to: number): boolean =>
  lists.some((positions) => (positions[firstFrom(positions, from)] ?? to) < to);

/** The index of the first position that is `from` or later. */
function firstFrom(positions: readonly number[], from: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a rule's flag requires; null if the flag is a whole-word option. */
function needsOf(flag: string): Need[] | null {
  if (flag.startsWith('--')) return [needOf(flag.slice(2), '')];
  if (flag.length > LETTERS_MAX) return null;
  return [...flag.slice(1)].map((letter) => needOf(LONG.get(letter) ?? null, letter));
}

const needOf = (long: string | null, letter: string): Need => ({
  long,
  letters: letter + [...LONG].flatMap(([one, name]) => (name === long ? one : '')).join(''),
});
