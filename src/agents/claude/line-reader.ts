/** Longer lines are skipped. Model responses and files are far below this limit. */
const LONGEST = 64 * 1024 * 1024;

/** Splits text that arrives in pieces into lines. */
export class LineReader {
  readonly #longest: number;
  #parts: string[] = [];
  #length = 0;

  constructor(longest = LONGEST) {
    this.#longest = longest;
  }

  /** The lines completed by this piece; null for a line that was too long. */
  *push(piece: string): Generator<string | null> {
    let from = 0;
    for (let to = piece.indexOf('\n'); to >= 0; to = piece.indexOf('\n', from)) {
      this.#add(piece.slice(from, to));
      const line = this.#take();
      if (line !== '') yield line;
      from = to + 1;
    }
    this.#add(piece.slice(from));
  }

  /** The incomplete line at the end. */
  end(): string | null {
    return this.#take();
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#longest) this.#parts = [];
    else if (part !== '') this.#parts.push(part);
  }

  #take(): string | null {
    const line = this.#length > this.#longest ? null : this.#parts.join('').trim();
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
