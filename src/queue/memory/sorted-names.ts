/** Larger pieces are split. At this size, moving a piece's tail costs almost nothing. */
const PIECE_MAX = 512;

/**
 * A sorted set of names that can be read starting from any name. Stored as a list of short sorted
 * pieces: a change moves at most one piece's tail, however many names there are.
 */
export class SortedNames {
  readonly #pieces: string[][] = [];

  add(name: string): void {
    const last = this.#pieces.at(-1);
    if (last === undefined) {
      this.#pieces.push([name]);
      return;
    }
    // Ids increase with time, so most names are the greatest so far.
    if ((last.at(-1) as string) < name) {
      if (last.length < PIECE_MAX) last.push(name);
      else this.#pieces.push([name]);
      return;
    }
    const at = this.#pieceOf(name);
    const piece = this.#pieces[at] as string[];
    const index = firstFrom(piece, name);
    if (piece[index] === name) return;
    piece.splice(index, 0, name);
    if (piece.length > PIECE_MAX) this.#pieces.splice(at + 1, 0, piece.splice(PIECE_MAX / 2));
  }

  delete(name: string): void {
    const at = this.#pieceOf(name);
    const piece = this.#pieces[at];
    if (piece === undefined) return;
    const index = firstFrom(piece, name);
    if (piece[index] !== name) return;
    piece.splice(index, 1);
    if (piece.length === 0) this.#pieces.splice(at, 1);
  }

  /** The names after the given one, in order; null starts from the first. */
  *after(name: string | null): Generator<string> {
    let at = name === null ? 0 : this.#pieceOf(name);
    let index = 0;
    const start = this.#pieces[at];
    if (name !== null && start !== undefined) {
      index = firstFrom(start, name);
      if (start[index] === name) index++;
    }
    for (; at < this.#pieces.length; at++, index = 0) {
      const piece = this.#pieces[at] as string[];
      for (; index < piece.length; index++) yield piece[index] as string;
    }
  }

  /** The names before the given one, in reverse order; null starts from the last. */
  *before(name: string | null): Generator<string> {
    let at = this.#pieces.length - 1;
    let index = (this.#pieces[at]?.length ?? 0) - 1;
    if (name !== null && at >= 0 && name <= (this.last as string)) {
      at = this.#pieceOf(name);
      index = firstFrom(this.#pieces[at] as string[], name) - 1;
    }
    for (; at >= 0; at--, index = (this.#pieces[at]?.length ?? 0) - 1) {
      const piece = this.#pieces[at] as string[];
      for (; index >= 0; index--) yield piece[index] as string;
    }
  }

  next(name: string | null): string | null {
    return this.after(name).next().value ?? null;
  }

  get last(): string | undefined {
    return this.#pieces.at(-1)?.at(-1);
  }

  get empty(): boolean {
    return this.#pieces.length === 0;
  }

  /** The first piece whose last name is not before the given one. */
  #pieceOf(name: string): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle]?.at(-1) as string) < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function firstFrom(piece: readonly string[], name: string): number {
  let low = 0;
  let high = piece.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((piece[middle] as string) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
