/** Keeps the end of a text that arrives in pieces; uses at most twice the limit in memory. */
export class TextTail {
  readonly #limit: number;
  #text = '';
  #cut = false;

  /** In characters. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  push(piece: string): void {
    this.#text += piece;
    if (this.#text.length > 2 * this.#limit) this.#trim();
  }

  get text(): string {
    if (this.#text.length > this.#limit) this.#trim();
    return this.#text;
  }

  /** Whether the beginning was dropped. */
  get cut(): boolean {
    return this.#cut || this.#text.length > this.#limit;
  }

  #trim(): void {
    const end = this.#text.slice(-this.#limit);
    // If the cut splits a character, its second half is dropped. The rest is decoded again, because
    // a slice would keep the whole text in memory.
    const from = /^[\uDC00-\uDFFF]/.test(end) ? 1 : 0;
    this.#text = Buffer.from(end.slice(from), 'utf8').toString('utf8');
    this.#cut = true;
  }
}
