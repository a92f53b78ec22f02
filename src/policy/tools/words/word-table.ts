import { type FlagNeeds, GivenOptions, isFlag, type NeedsInCommand } from './flag-needs.ts';
import { baseName } from './plain-words.ts';

/** Only this many of a rule's names are compared, because each is one bit of a number. */
const NAMES_MAX = 30;

/**
 * A command's words with numeric ids, for matching many rules against a long command. A rule with a
 * word that the command lacks is rejected at once; for any other rule, only the words after its
 * program are compared, each once.
 */
export class WordTable {
  /** Number of words compared so far; tests check that it grows only with the command's length. */
  compared = 0;
  /** Number of lists searched so far for the options that rules require. */
  lookups = 0;
  readonly #words: readonly string[];
  readonly #ids = new Map<string, number>();
  readonly #idAt: Int32Array;
  /** The id of each word's base name, in case the word is a program. */
  readonly #programAt: Int32Array;
  readonly #isFlagAt: Uint8Array;
  /** The end of the part that each word is in. */
  readonly #endAt: Int32Array;
  readonly #positions = new Map<number, number[]>();
  #options: GivenOptions | undefined;

  constructor(parts: readonly (readonly string[])[]) {
    this.#words = parts.flat();
    const { length } = this.#words;
    this.#idAt = new Int32Array(length);
    this.#programAt = new Int32Array(length);
    this.#isFlagAt = new Uint8Array(length);
    this.#endAt = new Int32Array(length);
    const programs: number[] = [];
    let end = 0;
    let at = 0;
    for (const part of parts) {
      end += part.length;
      for (const word of part) {
        const id = this.#idOf(word);
        programs[id] ??= this.#idOf(baseName(word));
        this.#idAt[at] = id;
        this.#programAt[at] = programs[id];
        this.#isFlagAt[at] = isFlag(word) ? 1 : 0;
        this.#endAt[at++] = end;
      }
    }
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word);
    if (known !== undefined) return known;
    this.#ids.set(word, this.#ids.size);
    return this.#ids.size - 1;
  }

  /** All positions of a program's name. */
  #positionsOf(program: number): readonly number[] {
    let positions = this.#positions.get(program);
    if (positions === undefined) {
      positions = [];
      for (let at = 0; at < this.#programAt.length; at++) {
        if (this.#programAt[at] === program) positions.push(at);
      }
      this.#positions.set(program, positions);
    }
    return positions;
  }

  /**
   * Whether some part starts with the names, followed by the flags; with `anywhere`, the names may
   * begin at any word. There may be options between the names, each with a value: `git -C there
   * push` is `git push`. From name number `free` onwards, anything may stand between the names.
   * Null if that takes more than `most` words and lookups.
   */
  matches(
    names: readonly string[],
    free: number,
    needs: FlagNeeds,
    anywhere: boolean,
    most = Number.POSITIVE_INFINITY,
  ): boolean | null {
    const ids = this.#idsOf(names);
    if (ids === null) return false;
    const done = 1 << ids.length;
    const isFree = free >= NAMES_MAX ? 0 : ~0 << free;
    // Hoisted out of the loop, which may visit all words.
    const [idAt, isFlagAt, endAt] = [this.#idAt, this.#isFlagAt, this.#endAt];
    const second = free > 1 ? ids[1] : undefined;
    const positions = this.#positionsOf(ids[0]!);
    this.compared += positions.length;
    const limit = most + this.compared + this.lookups;
    let from = 0;
    let begun = -1;
    let given: NeedsInCommand | undefined;
    for (let i = 0; i < positions.length; i++) {
      const start = positions[i]!;
      if (start < from) continue;
      const end = endAt[start]!;
      // Keeps the first match in each part, because the flags may follow any of its matches.
      if (begun === -1 || endAt[begun] !== end) begun = start;
      const at = start + 1;
      // The next word is neither an option nor the rule's second name.
      if (second !== undefined && (at === end || (isFlagAt[at] === 0 && idAt[at] !== second))) {
        continue;
      }
      if (!anywhere && start > 0 && endAt[start - 1] === end) continue;
      const next = this.#follow(ids, start, done, isFree, anywhere);
      from = Math.abs(next);
      if (this.compared + this.lookups > limit) return null;
      if (next < 0) continue;
      this.#options ??= new GivenOptions(this.#words);
      given ??= needs.in(this.#options);
      this.lookups += given.lookups;
      if (given.areIn(begun + 1, end)) return true;
      from = end;
    }
    return false;
  }

  /** Null if the command lacks one of the names. */
  #idsOf([program = '', ...rest]: readonly string[]): number[] | null {
    const ids = [baseName(program), ...rest].slice(0, NAMES_MAX).map((name) => this.#ids.get(name));
    return ids.some((id) => id === undefined) ? null : (ids as number[]);
  }

  /**
   * Matches the words after one program name. Bit n means that n names have matched. All candidate
   * starts in the part advance together, one step per word, until none is left. Returns the end
   * position, negated if not all names matched. The result is a plain number because this function
   * runs for every word that is a program's name.
   */
  #follow(
    ids: readonly number[],
    start: number,
    done: number,
    isFree: number,
    anywhere: boolean,
  ): number {
    const idAt = this.#idAt;
    const programAt = this.#programAt;
    const isFlagAt = this.#isFlagAt;
    const end = this.#endAt[start]!;
    const { length } = ids;
    const program = anywhere ? ids[0] : -1;
    let afterName = 2;
    let afterFlag = 0;
    let at = start + 1;
    for (; (afterName & done) === 0 && at < end; at++) {
      const all = afterName | afterFlag;
      if (all === 0) break;
      let named = programAt[at] === program ? 2 : 0;
      for (let n = 1; n < length; n++) {
        if (ids[n] === idAt[at] && all & (1 << n)) named |= 2 << n;
      }
      const isFlagHere = isFlagAt[at] === 1;
      afterName = isFlagHere ? named : named | afterFlag | (all & isFree);
      afterFlag = isFlagHere ? all : 0;
    }
    this.compared += at - start;
    return (afterName & done) === 0 ? -at : at;
  }
}
