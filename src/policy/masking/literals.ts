import type { MaskStream } from './masker.ts';
import { maskOf } from './rule.ts';

/*
 * Values that are known to be secret: the server's own, and those it gives to agents. They are masked wherever
 * they appear.
 */

/** Shorter values appear in too much harmless text. */
export const LITERAL_MIN = 12;
/** The maximum amount of text to hold back because it may turn out to be a known value. */
const LITERAL_MAX = 256;

/**
 * The strings to search for: each line of the values, both literal and encoded, split into pieces
 * if it is long.
 */
export function literalsOf(values: readonly string[]): string[] {
  const lines = values.flatMap((value) => value.split(/\r?\n|\\n/)).map((line) => line.trim());
  const written = lines.flatMap((line) => [
    line,
    encodeURIComponent(line.toWellFormed()),
    JSON.stringify(line).slice(1, -1),
  ]);
  const pieces = written.flatMap((line) => inPieces(line));
  // Longer strings come first, because they may begin with shorter ones.
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

/** Masks known values before passing the text on to another stream. */
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
  /** The name that the literal's mask contains. */
  readonly name: string;
}

export class KnownSecrets {
  readonly #names: ReadonlyMap<string, string>;
  /**
   * Matches any of the literals. The expression contains nothing else, so matching takes linear
   * time.
   */
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

  /** `rest` may turn out to be part of a known value when more text arrives. */
  read(
    text: string,
    final: boolean,
    cover: (secret: string, mask: string) => string = (_, mask) => mask,
  ): { masked: string; rest: string } {
    const parts: string[] = [];
    let at = 0;
    for (;;) {
      this.#any.lastIndex = at;
      const match = this.#any.exec(text);
      const open = final ? text.length : this.#partial(text, at);
      // An incomplete value takes precedence if it begins before the match, or at the same place
      // and is longer.
      if (match === null || match.index >= open) {
        parts.push(text.slice(at, open));
        return { masked: parts.join(''), rest: text.slice(open) };
      }
      const name = this.#names.get(match[0])!;
      parts.push(text.slice(at, match.index), cover(match[0], maskOf(name)));
      this.#onMasked(name);
      at = match.index + match[0].length;
    }
  }

  /** Where the first value that may be incomplete begins. */
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
