import { privateKeyRule } from './private-key.ts';
import {
  chars,
  firstVerdict,
  holdsMask,
  MASK_START,
  type Rest,
  type Rule,
  restOfRun,
  runEnd,
  type Verdict,
  type View,
} from './rule.ts';
import { tokenAt, tokenRules } from './tokens.ts';

/* Secrets that are recognised by the text around them or by their end. */

const blank = chars(' \\t');
const bearerToken = chars('A-Za-z0-9_~+/=-');
/** Words after "bearer" in prose contain none of these; a token nearly always contains one. */
const TOKEN_LIKE = /[0-9_~=]|.[A-Z]|\w\.\w/;
/**
 * After a capitalised `Bearer`, anything of this length is a token, except words from its standard.
 */
const TOKEN_MIN = 8;
const STANDARD_WORD = /^(?:auth(?:enticat|oriz|oris)\w*|credentials?)$/i;
const CERTAIN_LENGTH = 20;
const LEAST_LENGTH = 6;

/** `Bearer <token>`, but not "bearer of bad news". */
export const bearerRule: Rule = {
  start: 'bearer',
  anyCase: true,
  at({ text, at, final, before }) {
    const afterWord = at + 'bearer'.length;
    const from = runEnd(text, afterWord, blank, 8);
    if (from === text.length && !final) return 'more';
    if (from === afterWord) return null;
    let end = from;
    while (end < text.length && end - from < CERTAIN_LENGTH) {
      const joined = text[end] === '.' && end > from && bearerToken(text.charCodeAt(end + 1));
      if (!joined && !bearerToken(text.charCodeAt(end))) break;
      end++;
    }
    const token = text.slice(from, end);
    if (token.length < CERTAIN_LENGTH) {
      const dot = end === text.length - 1 && text[end] === '.';
      if ((end === text.length || dot) && !final) return 'more';
      const header = /authorization["'\\]{0,4}[ \t]{0,3}[:=][ \t]{0,3}["'\\]{0,4}$/i.test(
        before.slice(-40),
      );
      const isHeader = text.startsWith('Bearer', at) && token.length >= TOKEN_MIN;
      const likely =
        (token.length >= LEAST_LENGTH && TOKEN_LIKE.test(token)) ||
        (isHeader && !STANDARD_WORD.test(token));
      if (token === '' || !(header || likely)) return null;
    }
    return hidden(from - at, end - at, restOfRun(bearerToken, '.'));
  },
};

const userName = chars('^\\s/?#:@"\'`<>\\\\');
/** People who write URLs by hand do not encode an at sign in a password. */
const userPassword = chars('^\\s/?#"\'`<>\\\\');
const USER_MAX = 200;
/** Together with the name, no more than LOOK_AHEAD. */
const PASSWORD_MAX = 300;
/** `$NAME` is a placeholder, `$ecret!` is not; `%41` is an encoded character of a password. */
const PLACEHOLDER = /^(?:$|[<{]|\$[{(]|(?:\$\w+)+$|%(?![\da-f]{2}))/i;
/** Database passwords are often written with a bare slash. In web URLs a slash begins the path. */
const DATABASE = /(?:postgres|postgresql|mysql|mariadb|mongodb|mongodb\+srv|rediss?|amqps?)$/i;
const databasePassword = chars('^\\s?#"\'`<>\\\\');

/** `scheme://name:password@host`, and `scheme://token@host` if it is long enough for one. */
export const urlRule: Rule = {
  start: '://',
  at({ text, at, final, before }) {
    const from = at + 3;
    const nameEnd = runEnd(text, from, userName, USER_MAX);
    if (nameEnd === text.length && !final) return 'more';
    if (text[nameEnd] === '@') return inUrl(text, at, from, nameEnd, CERTAIN_LENGTH);
    if (text[nameEnd] !== ':' || holdsMask(text.slice(from, nameEnd))) return null;
    let end = runEnd(text, nameEnd + 1, userPassword, PASSWORD_MAX);
    let last = text.slice(nameEnd + 1, end).lastIndexOf('@');
    const isPath = text[end] !== '/' || isNumber(text.slice(nameEnd + 1, end));
    if (last === -1 && !isPath && DATABASE.test(before.slice(-16))) {
      end = runEnd(text, nameEnd + 1, databasePassword, PASSWORD_MAX);
      last = text.slice(nameEnd + 1, end).lastIndexOf('@');
    }
    if (end === text.length && !final) return 'more';
    if (last === -1 || isPort(text.slice(from, nameEnd + 1 + last))) return null;
    return inUrl(text, at, nameEnd + 1, nameEnd + 1 + last, 1);
  },
};

const isNumber = (text: string): boolean => /^\d*$/.test(text);

/** `localhost:3000` is not a name and a password. */
const isPort = (before: string): boolean =>
  /^(?:localhost|[\d.]+|\[[\da-f:]+\]):\d{2,5}$/i.test(before);

function inUrl(text: string, at: number, from: number, end: number, least: number): Verdict {
  const secret = text.slice(from, end);
  if (secret.length < least || holdsMask(secret) || PLACEHOLDER.test(secret)) return null;
  // A token gets the mask of its type.
  if (tokenAt({ text: secret, at: 0, final: true, before: '' }) !== null) return null;
  return hidden(from - at, end - at);
}

const base64 = chars('A-Za-z0-9+/');
const LINE_END = '1O/w1cDnyilFU=';
const LINE_LEAST = 120;
/** The longest run of such characters that could still become a LINE token. */
export const LINE_MAX = 200;

/** How many characters at the end of the output could begin a LINE token. */
export function heldRun(output: string): number {
  let from = output.length;
  while (from > 0 && output.length - from <= LINE_MAX && base64(output.charCodeAt(from - 1)))
    from--;
  return output.length - from <= LINE_MAX ? output.length - from : 0;
}

/** All of LINE's long-lived channel access tokens end the same way. */
export const lineRule: Rule = {
  start: LINE_END,
  at({ before }) {
    const run = heldRun(before);
    const length = run + LINE_END.length;
    if (length < LINE_LEAST || length > LINE_MAX) return null;
    return { mask: 'LINE_TOKEN', back: run, keep: 0, end: LINE_END.length };
  },
};

export const hidden = (keep: number, end: number, rest?: Rest): Verdict => ({
  mask: 'MASKED',
  keep,
  end,
  ...(rest === undefined ? {} : { rest }),
});

const named = [...tokenRules, bearerRule, privateKeyRule];

/** Whether a mask begins at `from`, or a secret that has its own rule. */
export function isNamed(view: View, from: number): boolean | 'more' {
  const start = view.text.slice(from, from + MASK_START.length);
  if (start === MASK_START) return true;
  if (MASK_START.startsWith(start) && !view.final) return 'more';
  const verdict = firstVerdict(named, { ...view, at: from, before: ' ' });
  return verdict === 'more' ? 'more' : verdict !== null;
}
