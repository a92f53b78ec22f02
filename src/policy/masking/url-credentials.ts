import { chars, holdsMask, maskedHit, type Rule, runEnd, type Verdict } from './rule.ts';
import { tokenAt } from './token-prefixes.ts';

const userName = chars('^\\s/?#:@"\'`<>\\\\');
/** People who write URLs by hand do not encode an at sign in a password. */
const userPassword = chars('^\\s/?#"\'`<>\\\\');
/** A user name of at least this length counts as a token. */
const TOKEN_LENGTH = 20;
const USER_MAX = 200;
/** A password of this length still fits into LOOK_AHEAD together with the user name. */
const PASSWORD_MAX = 300;
/** `$NAME` is a placeholder, `$ecret!` is not; `%41` is an encoded character of a password. */
const PLACEHOLDER = /^(?:$|[<{]|\$[{(]|(?:\$\w+)+$|%(?![\da-f]{2}))/i;
/**
 * Database passwords are often written with a bare slash. In web URLs a slash begins the path. The
 * name of a driver may follow (`postgresql+asyncpg`, `mongodb+srv`).
 */
const DATABASE =
  /(?:postgres|postgis|cockroach|mysql|mariadb|mssql|sqlserver|oracle|clickhouse|mongodb|redis|valkey|amqp)[a-z\d+.-]{0,24}$/i;
/** Enough for a database's name and a driver's. */
const SCHEME_MAX = 40;
const databasePassword = chars('^\\s?#"\'`<>\\\\');

/**
 * `scheme://name:password@host`, and `scheme://token@host` if the user name is long enough to be a token.
 */
export const urlRule: Rule = {
  start: '://',
  at({ text, at, final, before }) {
    const from = at + 3;
    const nameEnd = runEnd(text, from, userName, USER_MAX);
    if (nameEnd === text.length && !final) return 'more';
    if (text[nameEnd] === '@') return inUrl(text, at, from, nameEnd, TOKEN_LENGTH);
    if (text[nameEnd] !== ':' || holdsMask(text.slice(from, nameEnd))) return null;
    let end = runEnd(text, nameEnd + 1, userPassword, PASSWORD_MAX);
    let last = text.slice(nameEnd + 1, end).lastIndexOf('@');
    const isPath = text[end] !== '/' || isNumber(text.slice(nameEnd + 1, end));
    if (!isPath && DATABASE.test(before.slice(-SCHEME_MAX))) {
      end = runEnd(text, nameEnd + 1, databasePassword, PASSWORD_MAX);
      // Text that contains `://` again is another URL.
      const password = text.slice(nameEnd + 1, end).split('://', 1)[0]!;
      last = Math.max(last, password.lastIndexOf('@'));
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
  // A token of a known type gets the mask of that type.
  if (tokenAt({ text: secret, at: 0, final: true, before: '' }) !== null) return null;
  return maskedHit(from - at, end - at);
}
