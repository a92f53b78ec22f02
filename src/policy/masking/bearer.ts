import { chars, maskedHit, type Rule, restOfRun, runEnd } from './rule.ts';

const blank = chars(' \\t');
const bearerToken = chars('A-Za-z0-9_~+/=-');
/**
 * Words after "bearer" in prose contain none of these characters; a token nearly always contains at
 * least one of them.
 */
const TOKEN_LIKE = /[0-9_~=]|.[A-Z]|\w\.\w/;
/**
 * After a capitalised `Bearer`, any word of at least this length is a token, except for words used
 * in the bearer-token standard.
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
    return maskedHit(from - at, end - at, restOfRun(bearerToken, '.'));
  },
};
