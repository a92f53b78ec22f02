export const isFlag = (word: string): boolean =>
  word.length > 1 && word.startsWith('-') && word !== '--';

/** Long names of the short options that deny rules are typically about. */
const LONG = new Map([
  ['r', 'recursive'],
  ['R', 'recursive'],
  ['f', 'force'],
]);
/** A longer `-word` is one option, as in find and go, not a group of letters. */
const LETTERS_MAX = 4;

/** One option that a rule requires: given by its long name, or by one of these letters in a group. */
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

  /** Whether the words from `from` up to `to` have all of them; `--` ends the options. */
  areIn(words: readonly string[], from: number, to: number): boolean {
    if (this.#flags.length === 0) return true;
    const whole = new Set<string>();
    const given = new Set<Need>();
    const needs = this.#flags.flatMap((flag) => flag.needs ?? []);
    const areAll = (): boolean =>
      this.#flags.every(
        (flag) => whole.has(flag.whole) || flag.needs?.every((need) => given.has(need)),
      );
    for (let at = from; at < to; at++) {
      const word = words[at]!;
      // After an option, `--` may be that option's value.
      if (word === '--' && !(at > from && isFlag(words[at - 1]!))) break;
      if (!isFlag(word)) continue;
      let isNew = false;
      for (const flag of this.#flags) {
        if (word !== flag.whole && !(flag.needs === null && word === `-${flag.whole}`)) continue;
        whole.add(flag.whole);
        isNew = true;
      }
      for (const need of needs) {
        if (given.has(need) || !isGiven(need, word)) continue;
        given.add(need);
        isNew = true;
      }
      if (isNew && areAll()) return true;
    }
    return false;
  }
}

/** Null for an option that is a whole word. */
function needsOf(flag: string): Need[] | null {
  if (flag.startsWith('--')) return [needOf(flag.slice(2), '')];
  if (flag.length > LETTERS_MAX) return null;
  return [...flag.slice(1)].map((letter) => needOf(LONG.get(letter) ?? null, letter));
}

const needOf = (long: string | null, letter: string): Need => ({
  long,
  letters: letter + [...LONG].flatMap(([one, name]) => (name === long ? one : '')).join(''),
});

function isGiven({ long, letters }: Need, word: string): boolean {
  if (word.startsWith('--')) {
    if (long === null) return false;
    // Long options can be abbreviated.
    const name = word.slice(2).split('=', 1)[0]!;
    return name !== '' && long.startsWith(name);
  }
  for (const letter of letters) if (word.includes(letter, 1)) return true;
  return false;
}
