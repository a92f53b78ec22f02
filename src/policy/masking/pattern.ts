import { type PatternPart, parsePattern } from '../../contract/mask-pattern.ts';
import { type Chars, chars, insideWord, LOOK_AHEAD, type Rule, restOfRun, runEnd } from './rule.ts';

export interface TokenPattern {
  /** The name in the mask, such as `GITHUB_TOKEN`. */
  readonly name: string;
  /** See contract/mask-pattern.ts. */
  readonly source: string;
  /** Also matches in the middle of a word. Set only for prefixes that no ordinary word contains. */
  readonly anywhere?: true;
  /**
   * Characters that may appear between two characters of the last class, but not at the end of a
   * token.
   */
  readonly joiners?: string;
}

/**
 * The rule is tried only where its prefix occurs, never backtracks, and gives up after LOOK_AHEAD
 * characters, so it takes linear time.
 */
export function tokenRule(pattern: TokenPattern): Rule {
  const { start, parts: read } = parsePattern(pattern.source);
  const parts = read.map((part) => ({ ...part, set: setOf(part) }));
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

/** Excludes the asterisk, because it begins a mask. */
function setOf({ inClass }: PatternPart): Chars {
  const set = chars(inClass);
  return (code) => code !== 0x2a && set(code);
}
