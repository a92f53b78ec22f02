import { type FlagNeeds, isFlag } from './flag-needs.ts';
import { baseName } from './plain-words.ts';

/** The first of so many names of a rule are looked for: they are bits of a number. */
const NAMES_MAX = 30;

/**
 * The words of a command, numbered, so that many rules can be looked for in a long one. A rule whose
 * words are not all among them is done at once; of others only the words behind its program are
 * compared, each once.
 */
export class WordTable {
  /** How many words rules were compared with; tests see that it grows with the command alone. */
  compared = 0;
  readonly #words: readonly string[];
  readonly #ids = new Map<string, number>();
  readonly #idAt: Int32Array;
  /** Of the program's name that a word would be. */
  readonly #programAt: Int32Array;
  readonly #isFlagAt: Uint8Array;
  /** Where the part that a word is in ends. */
  readonly #endAt: Int32Array;
  readonly #positions = new Map<number, number[]>();

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

  /** Where a program's name stands. */
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
   * Whether some part begins with the names, or with `anywhere` has them at any word, and has the
   * flags behind. Between the names there may be options, each with a value: `git -C there push` is
   * `git push`. From the name number `free` on anything may stand between them.
   */
  says(names: readonly string[], free: number, needs: FlagNeeds, anywhere: boolean): boolean {
    const ids = this.#idsOf(names);
    if (ids === null) return false;
    const done = 1 << ids.length;
    const isFree = free >= NAMES_MAX ? 0 : ~0 << free;
    // Hoisted: this may be a loop over all words.
    const [idAt, isFlagAt, endAt] = [this.#idAt, this.#isFlagAt, this.#endAt];
    const second = free > 1 ? ids[1] : undefined;
    const positions = this.#positionsOf(ids[0]!);
    this.compared += positions.length;
    let from = 0;
    let begun = -1;
    for (let i = 0; i < positions.length; i++) {
      const start = positions[i]!;
      if (start < from) continue;
      const end = endAt[start]!;
      // The first in its part: flags may stand behind any of them.
      if (begun === -1 || endAt[begun] !== end) begun = start;
      const at = start + 1;
      // What comes next is neither an option nor what the rule says.
      if (second !== undefined && (at === end || (isFlagAt[at] === 0 && idAt[at] !== second))) {
        continue;
      }
      if (!anywhere && start > 0 && endAt[start - 1] === end) continue;
      const next = this.#follow(ids, start, done, isFree, anywhere);
      from = Math.abs(next);
      if (next < 0) continue;
      this.compared += end - begun;
      if (needs.areIn(this.#words, begun + 1, end)) return true;
      from = end;
    }
    return false;
  }

  /** Null if one of them is nowhere. */
  #idsOf([program = '', ...rest]: readonly string[]): number[] | null {
    const ids = [baseName(program), ...rest].slice(0, NAMES_MAX).map((name) => this.#ids.get(name));
    return ids.some((id) => id === undefined) ? null : (ids as number[]);
  }

  /**
   * From one program on: bit n is that n names were seen. All beginnings in the part advance together,
   * one step a word, until none is left. Where it ended, negative if not all names were seen; as a number,
   * because it is called for every word that is a program's name.
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
      for (let seen = 1; seen < length; seen++) {
        if (ids[seen] === idAt[at] && all & (1 << seen)) named |= 2 << seen;
      }
      const isFlagHere = isFlagAt[at] === 1;
      afterName = isFlagHere ? named : named | afterFlag | (all & isFree);
      afterFlag = isFlagHere ? all : 0;
    }
    this.compared += at - start;
    return (afterName & done) === 0 ? -at : at;
  }
}
