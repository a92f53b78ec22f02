import { chars, type Rest, type Rule, runEnd } from './rule.ts';

/*
 * Private keys, from the BEGIN line to the END line. No regular expression here spans more than one
 * part of a line. A character such as `+` may be base64, a code operator between lines, or part of
 * a margin, so an expression for several lines would have to try every possible division.
 */

const keyLabel = chars('A-Z0-9 ');
const LABEL_MAX = 48;

/** Masks up to the END line or, if the key is cut off, up to its last line. */
export const privateKeyRule: Rule = {
  start: '-----BEGIN ',
  at({ text, at, final }) {
    const from = at + this.start.length;
    const label = labelEnd(text, from, final);
    if (typeof label !== 'number') return label;
    return { mask: 'PRIVATE_KEY', keep: 0, end: label - at, rest: restOfKey() };
  },
};

/** The end of a BEGIN line that names a private key, including its dashes. */
function labelEnd(text: string, from: number, final: boolean): number | 'more' | null {
  const end = runEnd(text, from, keyLabel, LABEL_MAX);
  if (end - from === LABEL_MAX) return null;
  const dashes = text.slice(end, end + 5);
  if (dashes.length < 5 && '-----'.startsWith(dashes) && !final) return 'more';
  if (dashes !== '-----' || !/PRIVATE KEY(?: BLOCK)?$/.test(text.slice(from, end))) return null;
  return end + 5;
}

/** The maximum amount of text that a step reads, apart from the headers. */
const WINDOW = 400;
const HEADERS_MAX = 500;
const HEADERS_COUNT = 4;
const LINE_BREAKS = /^(?:\s|\\{1,3}[rn]){1,4}/;
/** A line number, the plus sign of a diff, or indentation. */
const MARGIN = /^[^A-Za-z\n\\]{0,16}/;
/** A header ends at its line break, which may be written as `\n`. */
const HEADER =
  /^(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): (?:[^\n\\]|\\(?!\\{0,2}[rn])){0,80}(?=\n|\\{1,3}[rn])/;
const EMPTY_LINE = /^\r?\n[^A-Za-z\n\\]{0,16}(?=\r?\n)/;

/** The length of the headers at the start of the text, including the empty line that ends them. */
function headersEnd(text: string): number {
  let end = 0;
  for (let count = 0; count < HEADERS_COUNT; count++) {
    const breaks = LINE_BREAKS.exec(text.slice(end))?.[0].length;
    if (breaks === undefined) break;
    const margin = MARGIN.exec(text.slice(end + breaks))![0].length;
    const header = HEADER.exec(text.slice(end + breaks + margin))?.[0].length;
    if (header === undefined) break;
    end += breaks + margin + header;
  }
  return end === 0 ? 0 : end + (EMPTY_LINE.exec(text.slice(end))?.[0].length ?? 0);
}
const keyChars = chars('A-Za-z0-9+/=');

/**
 * Skips the lines of a key up to its END line, or up to the first line that cannot belong to a key.
 */
function restOfKey(): Rest {
  let isInRun = false;
  let hadLine = false;
  return (text, from, final) => {
    let at = from;
    for (;;) {
      if (isInRun) at = runEnd(text, at, keyChars);
      const headers = hadLine ? 0 : headersEnd(text.slice(at, at + HEADERS_MAX));
      const window = text.slice(at + headers, at + headers + WINDOW);
      const end = endOfBlock(window);
      if (end !== null) return { at: at + headers + end, done: true };
      const run = endOfRun(window);
      // Before the first key line, a header may still be incomplete.
      const isOpen = run === null || !hadLine;
      if (isOpen && window.length < WINDOW && !final) return { at, done: false };
      const line = run ?? endOfShortLine(window, hadLine);
      if (line === null) return { at: at + (hadLine ? endOfPadded(window) : 0), done: true };
      isInRun = run !== null;
      hadLine = true;
      at += headers + line;
    }
  };
}

/** A line break, literal or written as in code, with the quotes and operators that code puts around it. */
const BREAKS = /^(?:\s|\\{1,3}[rn]|["'+,;)]){0,24}/;

/**
 * Where the first line can begin: after the breaks, but before any plus signs at their end, which
 * may belong to the line.
 */
function startOfLine(window: string): number {
  let at = BREAKS.exec(window)![0].length;
  while (window[at - 1] === '+') at--;
  return at;
}

const base64 = chars('A-Za-z0-9+/');
/** No prose has this many base64 characters in a row, whatever comes before them on their line. */
const RUN_LENGTH = 40;
const BEFORE_RUN_MAX = 40;

/**
 * Finds RUN_LENGTH consecutive characters of a key on the next line, and returns where they end.
 */
function endOfRun(window: string): number | null {
  const from = startOfLine(window);
  for (let at = from; at - from <= BEFORE_RUN_MAX && at < window.length; at++) {
    const end = runEnd(window, at, base64, RUN_LENGTH);
    if (end - at === RUN_LENGTH) return end;
    if (window[end] === '\n') return null;
    at = end;
  }
  return null;
}

const END = /-----END [A-Z0-9 ]{0,37}PRIVATE KEY(?: BLOCK)?-----/;
const PARTS_MAX = 6;
const LINE_MAX = 76;
/** The maximum length of what precedes a line, such as a line number. */
const MARGIN_MAX = 16;
const afterLine = chars('\\s"\'+,;)');

/** The end of the END line, if only a few key lines come before it. */
function endOfBlock(window: string): number | null {
  const end = END.exec(window);
  if (end === null) return null;
  const parts = window.slice(0, end.index).split(/\\{1,3}[rn]|\n/);
  if (parts.length > PARTS_MAX || !parts.every(isKeyLine)) return null;
  return end.index + end[0].length;
}

/** Matches a margin, base64, and whatever code puts at the end of a line, all optional. */
function isKeyLine(part: string): boolean {
  const line = part.trimStart();
  let end = line.length;
  while (end > 0 && afterLine(line.charCodeAt(end - 1))) end--;
  let from = end;
  while (from > 0 && keyChars(line.charCodeAt(from - 1))) from--;
  return end - from <= LINE_MAX && from <= MARGIN_MAX && !/[A-Za-z]/.test(line.slice(0, from));
}

/** The characters that can follow a base64 word. */
const afterWord = chars('\\s\\\\"\'`');
const SHORT_MIN = 16;
const MIXED = [/[A-Z]/, /[a-z]/, /\d/];

/**
 * The end of a line of at least SHORT_MIN characters. The key's first line must not look like a
 * word or a name; most keys begin with `MII`.
 */
const endOfShortLine = (window: string, hadLine: boolean): number | null =>
  endOfWord(
    window,
    (word, padding) =>
      word.length >= SHORT_MIN &&
      padding <= 2 &&
      (hadLine || word.startsWith('MII') || MIXED.every((each) => each.test(word))),
  );

/**
 * The end of the last line of a key that has no END line. That line may be short if it is padded.
 */
const endOfPadded = (window: string): number =>
  endOfWord(window, (word, padding) => word !== '' && padding > 0 && padding <= 2) ?? 0;

/** The end of the first acceptable base64 word after the next line's margin. */
function endOfWord(
  window: string,
  accepts: (word: string, padding: number) => boolean,
): number | null {
  const from = startOfLine(window);
  for (let at = from; at - from <= MARGIN_MAX && at < window.length; at++) {
    const padded = runEnd(window, at, base64, RUN_LENGTH);
    const end = runEnd(window, padded, isPadding, 3);
    const isWhole = end === window.length || afterWord(window.charCodeAt(end));
    if (isWhole && accepts(window.slice(at, padded), end - padded)) return end;
    if (/[A-Za-z\n]/.test(window.slice(at, end + 1))) return null;
    at = end;
  }
  return null;
}
const isPadding = chars('=');
