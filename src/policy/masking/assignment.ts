import { type Block, restOfBlock, startOfBlock } from './block.ts';
import { isNamed } from './named-secrets.ts';
import {
  BLANKS_MAX,
  isSecretValue,
  type Kind,
  kindBefore,
  kindOfName,
  nameBefore,
  STAND_IN_MAX,
  typedNameBefore,
} from './names.ts';
import {
  type Chars,
  CONTEXT,
  chars,
  holdsMask,
  MASK_START,
  maskedHit,
  type Rest,
  type Rule,
  restOfRun,
  runEnd,
  type Verdict,
  type View,
} from './rule.ts';

/*
 * `password=…` in variables, query strings, JSON, YAML, code and flags. Text in quotes, or directly
 * after `=`, is a value. Other text may be prose or code ("the password: required", `password =
 * ask()`), so it counts as a value only if it looks like one.
 */

const blank = chars(' \\t');
/** The characters of an unquoted value; a shell variable may contain others. */
const plain = chars('^\\s"\'`,;&|<>(){}\\[\\]\\\\');
const variable = chars('^\\s"\'`;&|\\\\');
/**
 * The longest value masked in triple quotes; if they are never closed, text past this limit is
 * shown.
 */
const TRIPLE_MAX = 32 * 1024;
/** Prefixes of a string in code: bytes, raw, Unicode, formatted. */
const PREFIX = /^(?:[bBrRuUfF]{0,2}|@)(?=\\{0,3}["'`])/;

const assignment = (start: string, inCall: boolean): Rule => ({
  start,
  at(view) {
    // Saves time in a line such as `======`, where no name can precede the sign.
    if (/[=:]$/.test(view.before)) return null;
    const last = nameBefore(view.before);
    const typed = start === '=' && kindBefore(view.before, last) === null;
    const name = typed ? typedNameBefore(view.before) : last;
    const kind = typed ? kindOfName(name) : kindBefore(view.before, name);
    if (kind === null) return null;
    const { text, at, final } = view;
    const end = runEnd(text, at, separator, 4);
    const from = runEnd(text, end, blank, BLANKS_MAX);
    if (from === text.length && !final) return 'more';
    const isApart = blank(view.before.charCodeAt(view.before.length - 1));
    const attached = end === from && text.slice(at, end) === '=' && !isApart;
    const sign = text.slice(at, end);
    if (sign.startsWith('::')) return null;
    // In a shell, `NAME= x` sets nothing and starts `x`, and `=>` writes to a file.
    if (inCall && (sign.includes('>') || (sign === '=' && !isApart && from > end))) return null;
    return value({ ...view, name, kind, from, attached, blocks: !inCall, typed });
  },
});

const separator = chars(':=>');
const flagName = chars('A-Za-z0-9-');

/** `--password …`; with `=` it is an assignment. */
const flag: Rule = {
  start: '--',
  at(view) {
    const { text, at, final } = view;
    if (/^[^A-Za-z]/.test(text.slice(at + 2, at + 3))) return null;
    const end = runEnd(text, at + 2, flagName, 40);
    if (end === text.length && !final) return 'more';
    const kind = kindOfName(text.slice(at + 2, end));
    if (kind === null) return null;
    const from = runEnd(text, end, blank, BLANKS_MAX);
    if (from === text.length && !final) return 'more';
    if (from === end || text[from] === '-') return null;
    const name = text.slice(at + 2, end);
    return value({ ...view, name, kind, from, attached: false, blocks: false, typed: false });
  },
};

/** In a tool call, `|` is a shell's pipe and never begins a YAML block. */
export const assignmentRules = ({ inCall }: { inCall: boolean }): Rule[] => [
  assignment('=', inCall),
  assignment(':', inCall),
  flag,
];

interface Place extends View {
  readonly name: string;
  readonly kind: Kind;
  /** Where the value begins. */
  readonly from: number;
  /** `name=value`, without blanks. */
  readonly attached: boolean;
  /** The value may be a YAML block. */
  readonly blocks: boolean;
  /** There is a type between the name and the `=`, so only quoted text is a value. */
  readonly typed: boolean;
  /** A word such as `Basic` came before the value. */
  readonly scheme?: boolean;
}

function value(place: Place): Verdict {
  const { text, final } = place;
  const block = place.blocks ? startOfBlock(place, place.from) : null;
  if (block !== null) return block === 'more' ? 'more' : inBlock(place, block);
  const start = itemStart(place);
  if (start === 'more') return 'more';
  const opening = text.slice(start, start + OPENING_MAX);
  if (/^[bBrRuUfF@]{0,2}\\{0,3}["'`]{0,2}$/.test(opening) && !final) return 'more';
  const first = start + (PREFIX.exec(opening)?.[0].length ?? 0);
  const quote = /^(?:"{3}|'{3}|\\{0,3}["'`]?)/.exec(text.slice(first, first + 4))![0];
  const quoted = /["'`]$/.test(quote);
  if (place.typed && !quoted) return null;
  const from = quoted ? first + quote.length : first;
  const scheme = schemeEnd(place, from);
  if (typeof scheme !== 'number') return scheme;
  const named = isNamed(place, scheme);
  if (named !== false) return named === 'more' ? 'more' : null;
  if (!quoted) return bare({ ...place, from: scheme, scheme: scheme > from });
  const isList = start > place.from;
  return inQuotes(place, scheme, isList ? restOfList(quote) : restOfQuoted(quote), quote);
}

/** Masks all lines of the block, unless it begins with a token that has its own mask. */
function inBlock(place: Place, { from, indent }: Block): Verdict {
  const { text, at } = place;
  // Also hides a word before the token; otherwise, that word would stay visible until the result is
  // masked a second time.
  const named = !/^bearer$/i.test(text.slice(from, from + 6)) && isNamed(place, from);
  if (named !== false) return named === 'more' ? 'more' : null;
  return maskedHit(from - at, from - at, restOfBlock(indent));
}

/** A prefix and a quote, with any backslashes that escape it. */
const OPENING_MAX = 8;

/** Where the first item of a list begins, if it is in quotes. */
function itemStart({ text, from, final }: Place): number | 'more' {
  if (text[from] !== '[') return from;
  const start = text.slice(from, from + BLANKS_MAX + 5);
  const item = /^\[\s*(?=\\{0,3}["'`])/.exec(start);
  if (item === null && /^\[\s*\\{0,3}$/.test(start) && start.length <= BLANKS_MAX && !final) {
    return 'more';
  }
  return from + (item?.[0].length ?? 0);
}

/** The end of the word before a credential: `Authorization: Basic …`. */
function schemeEnd({ kind, text, final }: Place, from: number): number | 'more' {
  if (kind !== 'authorization') return from;
  const start = text.slice(from, from + 12);
  if (start.length < 12 && !/[\r\n]/.test(start) && !final) return 'more';
  return from + (/^(?:basic|token|digest|apikey)[ \t]{1,4}/i.exec(start)?.[0].length ?? 0);
}

function inQuotes(
  { text, at, final, kind, name, attached }: Place,
  from: number,
  rest: Rest,
  quote: string,
): Verdict {
  const window = text.slice(from, from + STAND_IN_MAX + quote.length + 1);
  const end = quotedEnd(window, quote);
  if (end === -1 && window.length <= STAND_IN_MAX + quote.length && !final) return 'more';
  const content = end === -1 ? window : window.slice(0, end);
  if (attached && quote === '"' && isCommand(content)) return null;
  if (holdsMask(content) || !isSecretValue(kind, name, content)) return null;
  return { mask: 'MASKED', keep: from - at, end: from - at, rest };
}

/** Triple-quoted strings can span lines. */
const endsAtLine = (quote: string): boolean => !/^(["'])\1\1$/.test(quote);

/** Where the closing quote begins, or the line ends. */
function quotedEnd(text: string, quote: string): number {
  const inLine = endsAtLine(quote);
  for (let at = 0; at < text.length; at++) {
    if ((inLine && text[at] === '\n') || text.startsWith(quote, at)) return at;
    if (text[at] === '\\') at++;
  }
  return -1;
}

function restOfQuoted(quote: string): Rest {
  const inLine = endsAtLine(quote);
  let left = inLine ? Number.POSITIVE_INFINITY : TRIPLE_MAX;
  return (text, from, final) => {
    let at = from;
    while (at < text.length && left > 0) {
      if ((inLine && text[at] === '\n') || text.startsWith(quote, at)) return { at, done: true };
      const escaped = text[at] === '\\';
      // What follows may be the beginning of the closing quote.
      const isOpen = escaped || quote.startsWith(text.slice(at, at + quote.length));
      if (isOpen && !final && text.length - at < Math.max(2, quote.length)) break;
      at += escaped ? 2 : 1;
      left -= escaped ? 2 : 1;
    }
    return { at: Math.min(at, text.length), done: left <= 0 };
  };
}

/** Skips list items with the same kind of quotes, and the commas between them. */
function restOfList(quote: string): Rest {
  let item = restOfQuoted(quote);
  return (text, from, final) => {
    for (let at = from; ; item = restOfQuoted(quote)) {
      const skipped = item(text, at, final);
      at = skipped.at;
      if (!skipped.done || !text.startsWith(quote, at)) return skipped;
      const after = at + quote.length;
      const next = runEnd(text, after, betweenItems, BLANKS_MAX);
      const isOpen = quote.startsWith(text.slice(next)) && next - after < BLANKS_MAX;
      if (isOpen && next + quote.length > text.length && !final) return { at, done: false };
      const isItem = text.slice(after, next).includes(',') && text.startsWith(quote, next);
      if (!isItem) return { at, done: true };
      at = next + quote.length;
    }
  };
}
const betweenItems = chars('\\s,');

function bare(place: Place): Verdict {
  const { text, at, final, from, kind, name, attached } = place;
  let set: Chars = attached && /^[A-Z][A-Z0-9_]*$/.test(name) ? variable : plain;
  const most = STAND_IN_MAX + MASK_START.length + 1;
  let end = runEnd(text, from, set, most);
  if (attached && end > from && text[end] === '(' && set === plain) {
    const line = text.slice(end, end + CALL_MAX);
    // A call's parenthesis closes on the same line, or its first argument is a string. The end of
    // the call may already be masked.
    const isCall = /^\((?:["'`]|[^\n]*\))/.test(line) || holdsMask(line.split('\n', 1)[0]!);
    if (!isCall && !line.includes('\n') && line.length < CALL_MAX && !final) return 'more';
    const longer = isCall ? end : runEnd(text, from, variable, most);
    if (longer === text.length && !final) return 'more';
    if (!isCommand(text.slice(from, longer))) {
      set = isCall ? plain : variable;
      end = longer;
    }
  }
  if (end === text.length && !final) return 'more';
  const content = text.slice(from, end);
  if (holdsMask(content)) return null;
  if (!isSecretValue(kind, name, content) || isCode(content, text[end], attached)) return null;
  const credential = place.scheme && /[0-9=+/]|.[A-Z]/.test(content);
  if (!attached && !credential && !resemblesValue(place, content, text[end])) return null;
  return { mask: 'MASKED', keep: from - at, end: end - at, rest: restOfRun(set) };
}

/** How far to search for the end of a call in code. */
const CALL_MAX = 128;
const PATH_IN_CODE = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;
const ROOT =
  /^(?:self|this|process|os|env|config|settings|options|opts|args|params|props|req|request)\b/;

/**
 * Whether a shell would run part of the value. The person who approves the command must see that
 * part.
 */
const isCommand = (value: string): boolean => /\$\(|`/.test(value);

/** A call, an index, or a path of names: `ask()`, `tokens[0]`, `config.password`. */
function isCode(content: string, next: string | undefined, attached: boolean): boolean {
  if (
    content.startsWith('$(') ||
    (content.endsWith('$') && next === '(') ||
    (attached && isCommand(content))
  )
    return true;
  if ((next === '(' || next === '[') && /^[\w$.?]+$/.test(content)) return true;
  if (!PATH_IN_CODE.test(content)) return false;
  return (
    !attached || ROOT.test(content) || kindOfName(content.slice(content.lastIndexOf('.'))) !== null
  );
}

/**
 * Whether text that does not directly follow `=` contains characters that do not occur in ordinary
 * words and identifiers.
 */
function resemblesValue(place: Place, content: string, next: string | undefined): boolean {
  if (/^(?:\.{0,2}\/|~\/|[a-z]+:\/\/)/.test(content)) return false;
  let end = content.length;
  while (end > 0 && '.?!:'.includes(content[end - 1]!)) end--;
  const core = content.slice(0, end);
  // A "token" that is a word and a digit, such as `refresh2`, is more likely a name.
  if (place.kind === 'token' && /^[a-z]+\d$/.test(core)) return false;
  if (core.length >= 6 && /\d/.test(core) && /[A-Za-z]/.test(core)) return true;
  if (core.length >= 6 && /[!#$%&*+=?@^~]/.test(core)) return true;
  if (place.kind !== 'password') return false;
  if (/^\d{4,}$/.test(core)) return true;
  const endsLine = next === undefined || next === '\n' || next === '\r';
  return endsLine && /^[a-z]{6,}$/.test(core) && beginsLine(place) && kindOfName(core) === null;
}

/** `password: swordfish` on a line of its own, as in a settings file. */
function beginsLine({ before, name }: Place): boolean {
  const line = before
    .slice(-CONTEXT + 1)
    .split('\n')
    .at(-1)!;
  return /^[a-z]/.test(name) && /^[ \t"'{-]{0,40}[\w-]{1,64}["']?[ \t]{0,64}$/.test(line);
}
