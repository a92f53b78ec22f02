/*
 * What a mask in a tool call may cover (P4). A shell runs the call as it is, and who approves it sees the
 * masked text; so whatever could make the shell do more stays in sight: quotes, substitutions, separators,
 * redirections, line breaks, and blanks unless they are certainly inside of quotes.
 */

const SYNTAX = /[$`;|&<>(){}"'\\]|[^\S \t]/;
const BLANK = /[ \t]/;

/** Where a mask that begins at `from` must end, at most at `end`. */
export function coverEnd(text: string, from: number, end: number, quoted: boolean): number {
  for (let at = from; at < end; at++) {
    const char = text[at]!;
    if (SYNTAX.test(char) || (!quoted && BLANK.test(char))) return at;
  }
  return end;
}

/** Hides all of a text that is known to be a secret, but for its syntax. */
export const coverKnown = (secret: string, mask: string): string =>
  secret.replace(/[^$`;|&<>(){}"'\\\s]+/g, mask);

/**
 * Which places are inside of quotes. None from the first construct on that takes a whole grammar to follow:
 * a substitution, a here-document, a comment. None in quotes that hold others, unless it is JSON: such a
 * text is code as often as not, as in `sh -c "…"`.
 */
export function quotedPlaces(text: string): Uint8Array {
  const places = new Uint8Array(text.length + 1);
  let quote = '';
  let from = 0;
  const open = (char: string, at: number): void => {
    quote = char;
    from = at + 1;
  };
  const close = (others: RegExp, at: number): void => {
    quote = '';
    const inside = text.slice(from, at);
    if (others.test(inside) && !isJson(inside)) places.fill(0, from, at + 1);
  };
  for (let at = 0; at < text.length; at++) {
    places[at] = quote === '' ? 0 : 1;
    const char = text[at]!;
    if (quote === "'") {
      if (char === "'") close(/"/, at);
      continue;
    }
    const after = text[at + 1] ?? '';
    if (char === '`' || (char === '$' && /[({['"]/.test(after))) break;
    if (char === '\\') {
      places[at + 1] = places[at]!;
      at++;
    } else if (char === '"') {
      if (quote === '') open('"', at);
      else close(/['\\]/, at);
    } else if (quote === '') {
      if (char === "'") open("'", at);
      if (char === '#' || (char === '<' && after === '<')) break;
    }
  }
  return places;
}

function isJson(inside: string): boolean {
  try {
    JSON.parse(inside.replaceAll('\\"', '"'));
    return true;
  } catch {
    return false;
  }
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_MAX = 32 * 1024;
const LINE_BREAK = /(\r?\n|\\n)/;

/** Masks the lines of private keys, each for itself. */
export function maskKeyLines(text: string, mask: string, onMasked: () => void): string {
  const parts: string[] = [];
  let at = 0;
  for (const found of text.matchAll(BEGIN)) {
    if (found.index < at) continue;
    const from = found.index + found[0].length;
    const ending = text.indexOf('-----END ', from);
    const end = Math.min(ending === -1 ? text.length : ending, from + KEY_MAX);
    const block = text.slice(from, end);
    const masked = maskLines(block, mask);
    parts.push(text.slice(at, from), masked);
    if (masked !== block) onMasked();
    at = end;
  }
  return at === 0 ? text : parts.join('') + text.slice(at);
}

function maskLines(block: string, mask: string): string {
  // The breaks between lines are among the parts.
  const parts = block.split(LINE_BREAK);
  let before: string | null = null;
  return parts
    .map((line, i) => {
      if (i % 2 === 1 || i === 0) return line;
      const [, indent, run, rest] = LINE.exec(line)!;
      if (!(isKeyLine(run!, before) && /^["'`]|^$/.test(rest!))) {
        before = null;
        return line;
      }
      before = run!;
      return indent + mask + rest;
    })
    .join('');
}

/** The number of a line may stand before it, and the quote that the key is in behind it. */
const LINE = /^([ \t]*(?:\d+→)?)([A-Za-z0-9+/]*={0,2})(.*)$/s;
/** What a line of a key has and the name of a program hardly ever. */
const MIXED = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{24,}$/;
/** As long as programs make them: PEM and PGP, OpenSSH, MIME. */
const USUAL: ReadonlySet<number> = new Set([64, 70, 76]);
const LAST = /[^=]=/;
/** A slash so early is that of a path, unless the line is as long as those of keys are, or follows one. */
const PATH = /^.{0,15}\//;

function isKeyLine(run: string, before: string | null): boolean {
  if (!MIXED.test(run)) return before !== null && LAST.test(run);
  if (USUAL.has(run.length) || !PATH.test(run)) return true;
  if (before === null) return false;
  return run.length === before.length || (USUAL.has(before.length) && run.length < before.length);
}
