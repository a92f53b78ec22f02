import type { MaskStream } from './masker.ts';
import { maskOf } from './rule.ts';

/*
 * Values that are known to be secret: the server's own, and those it gives to agents. They are masked
 * wherever they are, in whatever shape.
 */

/** A shorter one would be in too many innocent texts. */
export const LITERAL_MIN = 12;
/** So much of a text waits at most, because it could become a longer one. */
const LITERAL_MAX = 256;

/** The texts to look for: lines of the value, in pieces if they are long, as they are and as others write them. */
export function literalsOf(values: readonly string[]): string[] {
  const lines = values.flatMap((value) => value.split(/\r?\n|\\n/)).map((line) => line.trim());
  const written = lines.flatMap((line) => [
    line,
    encodeURIComponent(line.toWellFormed()),
    JSON.stringify(line).slice(1, -1),
  ]);
  const pieces = written.flatMap((line) => inPieces(line));
  // A longer one first: it may begin with a shorter one.
  return [...new Set(pieces)].sort((a, b) => b.length - a.length);
}

function inPieces(line: string): string[] {
  if (line.length < LITERAL_MIN) return [];
  if (line.length <= LITERAL_MAX) return [line];
  const size = Math.ceil(line.length / Math.ceil(line.length / LITERAL_MAX));
  return Array.from({ length: Math.ceil(line.length / size) }, (_, i) =>
    line.slice(i * size, (i + 1) * size),
  ).filter((piece) => piece.length >= LITERAL_MIN);
}

/** Masks known values before another stream reads the text. */
export class LiteralStream implements MaskStream {
  readonly #inner: MaskStream;
  readonly #secrets: KnownSecrets;
  #held = '';

  constructor(inner: MaskStream, secrets: KnownSecrets) {
    this.#inner = inner;
    this.#secrets = secrets;
  }

  push(piece: string): string {
    const { masked, rest } = this.#secrets.read(this.#held + piece, false);
    this.#held = rest;
    return this.#inner.push(masked);
  }

  end(): string {
    const { masked } = this.#secrets.read(this.#held, true);
    this.#held = '';
    return this.#inner.push(masked) + this.#inner.end();
  }
}

export interface Literal {
  readonly text: string;
  /** In its mask. */
  readonly name: string;
}

export class KnownSecrets {
  readonly #names: ReadonlyMap<string, string>;
  /** Any of them; literals only, so it takes time linear in the text. */
  readonly #any: RegExp;
  readonly #byFirst: ReadonlyMap<string, readonly string[]>;
  readonly #onMasked: (name: string) => void;

  constructor(literals: readonly Literal[], onMasked: (name: string) => void) {
    const texts = literals.map(({ text }) => text);
    this.#names = new Map(literals.map(({ text, name }) => [text, name]));
    this.#any = new RegExp(texts.map((text) => text.replace(/[^\w\s]/g, '\\$&')).join('|'), 'g');
    this.#byFirst = Map.groupBy(texts, (text) => text[0]!);
    this.#onMasked = onMasked;
  }

  /** `rest` is what may still become one, if more text comes. */
  read(
    text: string,
    final: boolean,
    cover: (secret: string, mask: string) => string = (_, mask) => mask,
  ): { masked: string; rest: string } {
    const parts: string[] = [];
    let at = 0;
    for (;;) {
      this.#any.lastIndex = at;
      const found = this.#any.exec(text);
      const open = final ? text.length : this.#partial(text, at);
      // One that begins before the other, or there and is longer, would be masked instead.
      if (found === null || found.index >= open) {
        parts.push(text.slice(at, open));
        return { masked: parts.join(''), rest: text.slice(open) };
      }
      const name = this.#names.get(found[0])!;
      parts.push(text.slice(at, found.index), cover(found[0], maskOf(name)));
      this.#onMasked(name);
      at = found.index + found[0].length;
    }
  }

  /** Where the first may begin of which the end is not here yet. */
  #partial(text: string, from: number): number {
    for (let at = Math.max(from, text.length - LITERAL_MAX + 1); at < text.length; at++) {
      const known = this.#byFirst.get(text[at]!);
      if (known === undefined) continue;
      const end = text.slice(at);
      if (known.some((each) => each.length > end.length && each.startsWith(end))) return at;
    }
    return text.length;
  }
}
