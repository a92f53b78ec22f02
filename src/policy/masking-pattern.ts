import { BatonError } from '../contract/errors.ts';
import {
  type Chars,
  chars,
  insideWord,
  LOOK_AHEAD,
  type Rule,
  restOfRun,
  runEnd,
} from './masking-rule.ts';

/*
 * Patterns of tokens in the words of regular expressions, but only those that need no going back: a
 * literal beginning, then characters and classes with counts. Each is tried at its beginning only,
 * goes forward only, and gives up after LOOK_AHEAD characters, so the time is linear in the text.
 */

export interface TokenPattern {
  /** The name in the mask, such as `GITHUB_TOKEN`. */
  readonly name: string;
  readonly source: string;
  /** Also in the middle of a word. Only for beginnings that no ordinary word contains. */
  readonly anywhere?: true;
  /** Characters that may stand between two of the last class, but do not end a token. */
  readonly joiners?: string;
}

interface Part {
  readonly set: Chars;
  readonly min: number;
  readonly max: number;
}

const LEAST_BEGINNING = 3;
const QUANTIFIER = /[?*+]|\{(\d{1,4})(?:(,)(\d{1,4})?)?\}/y;
const PIECE = /\[\^?(?:\\.|[^\]\\])+\]|\\.|[^\\[\](){}?*+|^$.]|\./suy;

export function tokenRule(pattern: TokenPattern): Rule {
  const parts = parse(pattern);
  const start = beginning(pattern.source);
  if (start.length < LEAST_BEGINNING) {
    throw refuse(pattern, `it must begin with at least ${LEAST_BEGINNING} plain characters`);
  }
  const last = parts.at(-1)!;
  return {
    start,
    at({ text, at, final, before }) {
      if (pattern.anywhere !== true && insideWord(before)) return null;
      let end = at;
      for (const part of parts) {
        const from = end;
        end = runEnd(text, from, part.set, Math.min(part.max, LOOK_AHEAD));
        const open = end === text.length && end - from < part.max && !final;
        const enough = end - from >= part.min;
        if (part !== last || !enough) {
          if (open && end - at < LOOK_AHEAD) return 'more';
          if (!enough || end - at >= LOOK_AHEAD) return null;
        }
        if (part === last) {
          const rest = restOfRun(part.set, pattern.joiners, part.max - (end - from));
          return { mask: pattern.name, keep: 0, end: end - at, rest };
        }
      }
      return null;
    },
  };
}

/** The plain characters it begins with. */
function beginning(source: string): string {
  return /^(?:[A-Za-z0-9_:/@#~!-](?![?*+{]))*/.exec(source)![0];
}

function parse(pattern: TokenPattern): Part[] {
  const { source } = pattern;
  const parts: Part[] = [];
  const sources: string[] = [];
  for (let at = 0; at < source.length; ) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(source)?.[0];
    if (piece === undefined || piece === '\\b' || piece === '\\B' || /^\\[1-9kpPcux]/.test(piece)) {
      throw refuse(
        pattern,
        `"${source.slice(at, at + 8)}" is not understood at character ${at + 1}`,
      );
    }
    at += piece.length;
    QUANTIFIER.lastIndex = at;
    const counted = QUANTIFIER.exec(source);
    at += counted?.[0].length ?? 0;
    const [min, max] = counts(counted);
    if (min > max) throw refuse(pattern, `"${counted![0]}" counts backwards`);
    parts.push({ set: setOf(piece), min, max });
    sources.push(piece);
  }
  for (const [i, { set, min, max }] of parts.slice(0, -1).entries()) {
    if (min === 0) throw refuse(pattern, `"${sources[i]}" must occur at least once`);
    if (min !== max && overlap(set, parts[i + 1]!.set)) {
      throw refuse(pattern, `where does "${sources[i]}" end and "${sources[i + 1]}" begin`);
    }
  }
  if (parts.reduce((sum, { min }) => sum + min, 0) > LOOK_AHEAD / 2) {
    throw refuse(pattern, `it asks for more than ${LOOK_AHEAD / 2} characters`);
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

/** Never the star: it begins a mask. Never the white space, unless it is asked for by name. */
function setOf(piece: string): Chars {
  const set = chars(
    piece === '.' ? '^\\s' : piece.startsWith('[') ? piece.slice(1, -1) : inClass(piece),
  );
  return (code) => code !== 0x2a && set(code);
}

const inClass = (piece: string): string =>
  piece.length === 1 && '^]-'.includes(piece) ? `\\${piece}` : piece;

function overlap(a: Chars, b: Chars): boolean {
  for (let code = 0; code <= 128; code++) if (a(code) && b(code)) return true;
  return false;
}

const refuse = ({ source }: TokenPattern, why: string): BatonError =>
  new BatonError('invalid_request', `The mask pattern ${source} cannot be used: ${why}.`);
