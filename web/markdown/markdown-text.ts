import type { Token } from 'marked';
import { PageLexer } from './markdown-lexer.ts';

/* Markdown before it is made into elements. */

/** Lists in lists in lists, for which the lexer takes longer and longer: line by line, or in one. */
const TOO_DEEP = [
  /^[ \t]{200}[ \t]*(?:[-*+]|\d+[.)])[ \t]/m,
  /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){100}/m,
];

/** Tasks, for each of which the lexer goes through all of them, without asking what time it is. */
const TASK = /\[[ xX]\]/g;
const TASKS_MOST = 3000;

type Now = () => number;
const NOW: Now = () => performance.now();

/** Null if it has more levels or tasks than can be read, or takes too long, which nothing has that people write. */
export function tokensOf(text: string, now = NOW): readonly Token[] | null {
  if (TOO_DEEP.some((each) => each.test(text))) return null;
  if ((text.match(TASK)?.length ?? 0) > TASKS_MOST) return null;
  try {
    return new PageLexer(now).lex(text);
  } catch {
    return null;
  }
}

/**
 * Reads a text that grows at its end, again and again: only the last part is read anew, because what
 * follows can change no other. (But for the target of a reference that comes later; it counts when
 * the text is whole.)
 */
export class GrowingMarkdown {
  #finished: Token[] = [];
  #finishedText = '';
  /** What could not be read, so that it is not tried again with each piece that comes. */
  #givenUp: string | null = null;
  readonly #now: Now;

  constructor(now = NOW) {
    this.#now = now;
  }

  tokensOf(text: string): readonly Token[] | null {
    const all = text.replace(/\r\n?/g, '\n');
    if (this.#givenUp !== null && all.startsWith(this.#givenUp)) return null;
    if (!all.startsWith(this.#finishedText)) {
      this.#finished = [];
      this.#finishedText = '';
    }
    const rest = tokensOf(all.slice(this.#finishedText.length), this.#now);
    this.#givenUp = rest === null ? all : null;
    if (rest === null) return null;
    const tokens = [...this.#finished, ...rest];
    const last = rest.findLastIndex(({ type }) => type !== 'space');
    for (const token of rest.slice(0, Math.max(0, last))) {
      this.#finished.push(token);
      this.#finishedText += token.raw;
    }
    return tokens;
  }
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  times: '×',
  rarr: '→',
  larr: '←',
};

/** Entities, which the lexer leaves as they are, as what they stand for; unknown ones stay. */
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, ten, hex, name) => {
        if (name !== undefined) return NAMED[name] ?? all;
        const code = hex === undefined ? Number(ten) : Number.parseInt(hex, 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : text;

/** Where a link may lead; null if nowhere. */
export function safeAddress(href: string): string | null {
  const address = decoded(href);
  return /^(https?:|mailto:)/i.test(address) ? address : null;
}
