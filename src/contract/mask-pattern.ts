import { z } from 'zod';
import { BatonError } from './errors.ts';

/*
 * Token patterns, written as regular expressions without backtracking: a literal prefix, then
 * characters and classes with counts. Each pattern can therefore be matched in one pass.
 */

export interface PatternPart {
  /** The contents of a character class. */
  readonly inClass: string;
  readonly min: number;
  readonly max: number;
}

export interface Pattern {
  /** The literal characters that the pattern begins with. */
  readonly start: string;
  readonly parts: readonly PatternPart[];
}

const LEAST_BEGINNING = 3;
/** The largest minimum length that a pattern may require. */
const LONGEST = 256;
const QUANTIFIER = /[?*+]|\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/y;
const PIECE = /\[\^?(?:\\.|[^\]\\])+\]|\\.|[^\\[\](){}?*+|^$.]|\./suy;

/** Throws `invalid_request` for a pattern that is not understood or could be slow to match. */
export function parsePattern(source: string): Pattern {
  const start = beginning(source);
  const parts = partsOf(source);
  if (start.length < LEAST_BEGINNING) {
    throw refuse(source, `it must begin with at least ${LEAST_BEGINNING} plain characters`);
  }
  return { start, parts };
}

function beginning(source: string): string {
  const plain = /^(?:(?:[A-Za-z0-9_:/@#~!-]|\\[./-])(?![?*+{]))*/.exec(source)![0];
  return plain.replaceAll('\\', '');
}

function partsOf(source: string): PatternPart[] {
  const parts: PatternPart[] = [];
  const sources: string[] = [];
  for (let at = 0; at < source.length; ) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(source)?.[0];
    if (piece === undefined || piece === '\\b' || piece === '\\B' || /^\\[1-9kpPcux]/.test(piece)) {
      throw refuse(source, `"${source.slice(at, at + 8)}" cannot be parsed at character ${at + 1}`);
    }
    at += piece.length;
    QUANTIFIER.lastIndex = at;
    const counted = QUANTIFIER.exec(source);
    at += counted?.[0].length ?? 0;
    const [min, max] = counts(counted);
    if (min > max) throw refuse(source, `"${counted![0]}" counts backwards`);
    const inClass = classOf(source, piece);
    if (max > 0 && isOnlyStar(inClass)) {
      throw refuse(source, `"${piece}" matches only *, and masks begin with *`);
    }
    parts.push({ inClass, min, max });
    sources.push(piece);
  }
  for (const [i, { inClass, min, max }] of parts.slice(0, -1).entries()) {
    if (min === 0) throw refuse(source, `"${sources[i]}" must occur at least once`);
    if (min !== max && overlap(inClass, parts[i + 1]!.inClass)) {
      throw refuse(
        source,
        `it is ambiguous where "${sources[i]}" ends and "${sources[i + 1]}" begins`,
      );
    }
  }
  if (parts.reduce((sum, { min }) => sum + min, 0) > LONGEST) {
    throw refuse(source, `it requires more than ${LONGEST} characters`);
  }
  return parts;
}

function counts(counted: RegExpExecArray | null): [min: number, max: number] {
  switch (counted?.[0]) {
    case undefined:
      return [1, 1];
    case '?':
      return [0, 1];
    case '*':
      return [0, Number.POSITIVE_INFINITY];
    case '+':
      return [1, Number.POSITIVE_INFINITY];
  }
  const [, least, comma, most] = counted!;
  if (comma === undefined) return [Number(least), Number(least)];
  return [Number(least), most === undefined ? Number.POSITIVE_INFINITY : Number(most)];
}

/** A dot matches anything but white space. */
function classOf(source: string, piece: string): string {
  const inClass =
    piece === '.' ? '^\\s' : piece.startsWith('[') ? piece.slice(1, -1) : escaped(piece);
  try {
    new RegExp(`[${inClass}]`);
    return inClass;
  } catch {
    throw refuse(source, `"${piece}" is not a character class`);
  }
}

const escaped = (piece: string): string =>
  piece.length === 1 && '^]-'.includes(piece) ? `\\${piece}` : piece;

/** An asterisk is never part of a token, so such a pattern would match nothing. */
function isOnlyStar(inClass: string): boolean {
  const one = new RegExp(`[${inClass}]`);
  if (!one.test('*')) return false;
  for (let code = 0; code < 0x1_0000; code++) {
    const char = String.fromCharCode(code);
    if (char !== '*' && one.test(char)) return false;
  }
  return true;
}

function overlap(a: string, b: string): boolean {
  const [one, other] = [new RegExp(`[${a}]`), new RegExp(`[${b}]`)];
  const codes = Array.from({ length: 129 }, (_, code) => String.fromCharCode(code));
  // Excludes the asterisk, which begins a mask.
  return codes.some((char) => char !== '*' && one.test(char) && other.test(char));
}

const refuse = (source: string, why: string): BatonError =>
  new BatonError('invalid_request', `The mask pattern ${source} cannot be used: ${why}.`);

/** Completes "it must be …" in errors about settings. */
export const MASK_PATTERNS =
  'patterns of tokens such as acme-[a-z0-9]{16,}, separated by commas (docs/masking.md)';

/** Splits at commas outside counts and classes: `a-[x,]{2,4},b-[0-9]+` is two patterns. */
const ONE = /(?:\\.|\[(?:\\.|[^\]\\])*\]|\{[^}]*\}|[^,])+/gs;

export const MaskPatterns = z.string().transform((text, context): string[] => {
  const patterns = (text.match(ONE) ?? []).map((each) => each.trim());
  for (const pattern of patterns) {
    try {
      parsePattern(pattern);
    } catch (error) {
      const why = (error as Error).message.replace(/\.$/, '');
      context.addIssue({ code: 'custom', message: `${why}; it must be ${MASK_PATTERNS}` });
      return z.NEVER;
    }
  }
  return patterns;
});
