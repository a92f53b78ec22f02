import type { MaskStream } from './masker.ts';
import { maskOf } from './rule.ts';

/*
 * Values that are known to be secret: the server's own, and those it gives to agents. They are masked wherever
 * they appear.
 */

/** Shorter values appear in too much harmless text. */
export const LITERAL_MIN = 12;
/**
 * The length of the longest string to search for, and so the maximum amount of text to hold back
 * because it may turn out to be a known value.
 */
const LITERAL_MAX = 256;

/**
 * The strings to search for: the values and each of their lines, in all spellings. Long lines are
 * split into pieces. A long value of several lines is only searched for line by line: pieces of it
 * would end within lines, and where only some of the lines appear, the end of one would be shown.
 */
export function literalsOf(values: readonly string[]): string[] {
  const whole = values
    .map((value) => value.trim())
    .filter((value) => value.length >= LITERAL_MIN)
    .flatMap(spellingsOf)
    .filter((spelling) => spelling.length <= LITERAL_MAX);
  const lines = values.flatMap((value) => value.split(/\r?\n|\\n/)).map((line) => line.trim());
  // Longer strings come first, because they may begin with shorter ones.
  return [...new Set([...whole, ...lines.flatMap(inPieces)])].sort((a, b) => b.length - a.length);
}

/**
 * The spellings of a line, or of each piece of a long one. The line is split before it is encoded,
 * so that all spellings are split at the same places: otherwise, a match of a piece of one spelling
 * could end within a piece of another, which would then not be recognised.
 */
function inPieces(line: string): string[] {
  if (line.length < LITERAL_MIN) return [];
  const spellings = spellingsOf(line);
  if (spellings.every((spelling) => spelling.length <= LITERAL_MAX)) return spellings;
  const half = Math.floor(line.length / 2);
  // Does not split a character, because the halves of one cannot be encoded.
  const middle = line.codePointAt(half - 1)! > 0xffff ? half + 1 : half;
  return [...inPieces(line.slice(0, middle)), ...inPieces(line.slice(middle))];
}

/** How programs usually write a text: as it is, encoded in URLs, and escaped in JSON. */
const spellingsOf = (text: string): string[] => [
  ...new Set([text, ...inUrls(text.toWellFormed()), ...inJson(text)]),
];

function inUrls(text: string): string[] {
  const percent = (sign: string): string => `%${hexOf(sign, 2).toUpperCase()}`;
  const inJavaScript = encodeURIComponent(text);
  const inForms = inJavaScript.replace(/[!'()~]/g, percent);
  // RFC 3986, as most other languages do it; Python leaves slashes by default.
  const strict = inJavaScript.replace(/[!'()*]/g, percent);
  return [inJavaScript, inForms, strict, strict.replaceAll('%2F', '/')]
    .flatMap((each) => [each, each.replaceAll('%20', '+')])
    .flatMap((each) => [each, each.replace(/%../g, (code) => code.toLowerCase())]);
}

function inJson(text: string): string[] {
  const escaped = (sign: string): string => `\\u${hexOf(sign, 4)}`;
  const plain = JSON.stringify(text).slice(1, -1);
  // Python and PHP escape everything but ASCII, Go what could be HTML.
  return [plain, plain.replace(/[^\0-\x7f]/g, escaped), plain.replace(/[<>&]/g, escaped)]
    .flatMap((each) => [each, each.replace(/\\u[\da-f]{4}/g, upperCase)])
    .flatMap((each) => [each, each.replaceAll('/', '\\/')]);
}

const hexOf = (sign: string, digits: number): string =>
  sign.charCodeAt(0).toString(16).padStart(digits, '0');
const upperCase = (code: string): string => `\\u${code.slice(2).toUpperCase()}`;

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
