/** What a rule is applied to: the text from `at` onwards, and the output so far in `before`. */
export interface View {
  readonly text: string;
  readonly at: number;
  /** True if nothing comes after `text`. */
  readonly final: boolean;
  /** The end of the output, masks included; at least CONTEXT characters if there are that many. */
  readonly before: string;
}

/** A secret, with positions relative to `at`. */
export interface Hit {
  /** The mask, or just the name in it. */
  readonly mask: string;
  /** How many characters of the output before `at` belong to the secret. */
  readonly back?: number;
  /** How many characters after `at` are shown before the mask. */
  readonly keep: number;
  /** The end of the part that was examined. */
  readonly end: number;
  /** Skips the rest of the secret, if it may be longer. */
  readonly rest?: Rest;
}

/**
 * A secret, null if there is none, or `more` if the text ends before the rule can decide. More text
 * never changes a verdict, so text is masked the same way however it is split.
 */
export type Verdict = Hit | 'more' | null;

/** Applied wherever the text contains `start`. Examines at most LOOK_AHEAD characters after it. */
export interface Rule {
  readonly start: string;
  /** `start` is in lower case and matches case-insensitively. */
  readonly anyCase?: true;
  at(view: View): Verdict;
}

/**
 * The first verdict of the rules whose `start` is at this position; `more` if a rule's `start` may
 * be cut off here.
 */
export function firstVerdict(rules: readonly Rule[], view: View): Verdict {
  const { text, at, final } = view;
  for (const rule of rules) {
    const { start, anyCase } = rule;
    const here = text.slice(at, at + start.length);
    const same = anyCase ? here.toLowerCase() : here;
    if (same === start) {
      const verdict = rule.at(view);
      if (verdict !== null) return verdict;
    } else if (here.length < start.length && !final && start.startsWith(same)) {
      return 'more';
    }
  }
  return null;
}

/** Skips the rest of a secret. Called again with more text until it is done. */
export type Rest = (text: string, from: number, final: boolean) => { at: number; done: boolean };

export const LOOK_AHEAD = 512;
/** How much of the output a rule may examine. */
export const CONTEXT = 256;

export const MASKED = '***MASKED***';
export const maskOf = (name: string): string => `***${name}***`;
/** Rules leave masks alone, so masking a text again changes nothing. */
export const MASK_START = '***';
export const holdsMask = (text: string): boolean => /\*{3}[A-Z]/.test(text);

export type Chars = (code: number) => boolean;

/** Patterns share a few sets, which are all created at startup. */
const known = new Map<string, Chars>();

/** A set of characters, written like a character class in a regular expression. */
export function chars(inClass: string): Chars {
  let set = known.get(inClass);
  if (set === undefined) {
    set = setOf(inClass);
    known.set(inClass, set);
  }
  return set;
}

function setOf(inClass: string): Chars {
  const one = new RegExp(`[${inClass}]`);
  const ascii = Uint8Array.from({ length: 128 }, (_, code) =>
    Number(one.test(String.fromCharCode(code))),
  );
  return (code) => (code < 128 ? ascii[code] === 1 : one.test(String.fromCharCode(code)));
}

/**
 * The end of the run of characters from `set` that begins at `from`. The run is cut off after `max`
 * characters.
 */
export function runEnd(
  text: string,
  from: number,
  set: Chars,
  max = Number.POSITIVE_INFINITY,
): number {
  const end = Math.min(text.length, from + max);
  let at = from;
  while (at < end && set(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Skips a run of characters from `set`. A joiner belongs to the run only if it is between two such
 * characters: a dot inside a token belongs to it, but the full stop after the token does not.
 */
export function restOfRun(set: Chars, joiners = '', max = Number.POSITIVE_INFINITY): Rest {
  let left = max;
  return (text, from, final) => {
    let at = from;
    while (at < text.length && left > 0) {
      if (set(text.charCodeAt(at))) {
        at++;
        left--;
      } else if (!joiners.includes(text[at]!)) {
        return { at, done: true };
      } else if (at + 1 === text.length) {
        return { at, done: final };
      } else if (set(text.charCodeAt(at + 1))) {
        at++;
        left--;
      } else {
        return { at, done: true };
      }
    }
    return { at, done: left === 0 };
  };
}

const alphanumeric = chars('A-Za-z0-9');
/** The end of an escape sequence: `\n`, `\u003d`, `%3D`, a terminal colour. */
const ESCAPE = /(?:\\[abefnrtv0]|\\u[0-9a-fA-F]{4}|(?:\\x|%)[0-9a-fA-F]{2}|[^ -~]\[[0-9;]{0,8}m)$/;

/** True if the text after `before` continues a word. */
export function insideWord(before: string): boolean {
  if (before === '' || !alphanumeric(before.charCodeAt(before.length - 1))) return false;
  return !ESCAPE.test(before.slice(-12));
}

/** A secret without a specific type; the positions are those of a `Hit`. */
export const maskedHit = (keep: number, end: number, rest?: Rest): Verdict => ({
  mask: 'MASKED',
  keep,
  end,
  ...(rest === undefined ? {} : { rest }),
});
