import type { Token } from 'marked';
import { PageLexer } from './markdown-lexer.ts';

/* Parses Markdown into tokens. */

/**
 * Matches lists nested so deeply, on one line or across several, that the lexer would take too
 * long.
 */
const TOO_DEEP = [
  /^[ \t]{200}[ \t]*(?:[-*+]|\d+[.)])[ \t]/m,
  /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){100}/m,
];

/** For each task, the lexer scans all tasks without checking the time limit. */
const TASK = /\[[ xX]\]/g;
const TASKS_MOST = 3000;

type Now = () => number;
const NOW: Now = () => performance.now();

/**
 * Null if the text has too many levels or tasks, or takes too long to parse. This never happens
 * with ordinary text.
 */
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
 * Parses a text that grows at its end. Only the last part is parsed again, because later text
 * cannot change any other part. (A link reference defined later is the exception; it applies once
 * the text is complete.)
 */
export class GrowingMarkdown {
  #finished: Token[] = [];
  #finishedText = '';
  /** Text that could not be parsed, so that it is not retried with each delta. */
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

/** Decodes entities, which the lexer leaves alone; keeps unknown ones. */
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, ten, hex, name) => {
        if (name !== undefined) return NAMED[name] ?? all;
        const code = hex === undefined ? Number(ten) : Number.parseInt(hex, 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : text;

/** The safe target of a link; null if there is none. */
export function safeAddress(href: string): string | null {
  const address = decoded(href);
  return /^(https?:|mailto:)/i.test(address) ? address : null;
}
