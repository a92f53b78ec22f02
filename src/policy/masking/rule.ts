/** Where a rule looks: at `at` in `text`, with what has been shown so far in `before`. */
export interface View {
  readonly text: string;
  readonly at: number;
  /** Nothing comes after `text`. */
  readonly final: boolean;
  /** The end of the output, masks included, at least CONTEXT characters if there are as many. */
  readonly before: string;
}

/** What a rule found, counted from `at`. */
export interface Hit {
  /** The mask, or the name in it. */
  readonly mask: string;
  /** How much of the output before `at` belongs to the secret. */
  readonly back?: number;
  /** How much after `at` is shown before the mask. */
  readonly keep: number;
  /** Where what is known of the secret ends. */
  readonly end: number;
  /** It may be longer: skips the rest. */
  readonly rest?: Rest;
}

/**
 * Nothing here, a secret, or `more`: the text ends before it is clear, and only then. More text
 * never changes a verdict, so how a text is cut never changes what is masked.
 */
export type Verdict = Hit | 'more' | null;

/** Looks at a place where the text says `start`. It looks ahead at most LOOK_AHEAD characters. */
export interface Rule {
  readonly start: string;
  /** Whether `start` may be in any case. */
  readonly anyCase?: true;
  at(view: View): Verdict;
}

/** Asks the rules whose beginning is here, in order; a beginning that is cut off needs more. */
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

/** Skips what still belongs to a secret; asked again with more text until it is done. */
export type Rest = (text: string, from: number, final: boolean) => { at: number; done: boolean };

export const LOOK_AHEAD = 512;
/** How far a rule may look back. */
export const CONTEXT = 256;

export const MASKED = '***MASKED***';
export const maskOf = (name: string): string => `***${name}***`;
/** Where a mask begins; rules leave those alone, so that masking twice is masking once. */
export const MASK_START = '***';
export const holdsMask = (text: string): boolean => /\*{3}[A-Z]/.test(text);

export type Chars = (code: number) => boolean;

/** Patterns have a few sets between them, and are all made at the start. */
const known = new Map<string, Chars>();

/** A set of characters, in the words of a regular expression's class. */
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

/** The end of the run of such characters that begins at `from`, at most `max` long. */
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
 * Skips a run of characters. A joiner belongs to the run only between two of them: the dot in a
 * token does, the one that ends the sentence does not.
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
/** The end of an escape: `\n`, `\u003d`, `%3D`, a colour of a terminal. */
const ESCAPE = /(?:\\[abefnrtv0]|\\u[0-9a-fA-F]{4}|(?:\\x|%)[0-9a-fA-F]{2}|[^ -~]\[[0-9;]{0,8}m)$/;

/** Whether the place after `before` is inside a word. */
export function insideWord(before: string): boolean {
  if (before === '' || !alphanumeric(before.charCodeAt(before.length - 1))) return false;
  return !ESCAPE.test(before.slice(-12));
}
