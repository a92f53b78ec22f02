import type { MaskStream } from './masker.ts';
import { maskOf } from './rule.ts';

const LENGTH = 20;
const CAPITALS = /^[A-Z0-9]{20}$/;
const NAME = 'AWS_ACCESS_KEY';

/** Masks words of exactly 20 capitals and digits in the output of another stream. */
export class CapitalsStream implements MaskStream {
  readonly #inner: MaskStream;
  readonly #onHit: (name: string) => void;
  #held = '';
  /** True inside a word that is too long and whose beginning has already been returned. */
  #inLongWord = false;

  constructor(inner: MaskStream, onHit: (name: string) => void) {
    this.#inner = inner;
    this.#onHit = onHit;
  }

  push(piece: string): string {
    return this.#mask(this.#inner.push(piece), false);
  }

  end(): string {
    return this.#mask(this.#inner.end(), true);
  }

  #mask(piece: string, final: boolean): string {
    let text = this.#held + piece;
    this.#held = '';
    let passed = '';
    if (this.#inLongWord) {
      passed = /^\w*/.exec(text)![0];
      text = text.slice(passed.length);
      this.#inLongWord = text === '';
    }
    if (!final) {
      let from = text.length;
      while (from > 0 && text.length - from <= LENGTH && /\w/.test(text[from - 1]!)) from--;
      if (text.length - from > LENGTH) this.#inLongWord = true;
      else {
        this.#held = text.slice(from);
        text = text.slice(0, from);
      }
    }
    return passed + text.replace(/\w+/g, (word) => this.#word(word));
  }

  #word(word: string): string {
    if (word.length !== LENGTH || !CAPITALS.test(word)) return word;
    this.#onHit(NAME);
    return maskOf(NAME);
  }
}
