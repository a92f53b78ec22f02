import { type Chars, CONTEXT, chars } from './rule.ts';

/* Which names mark secrets, and which values are not secret. */

/**
 * How reliable a name is: source code often uses `token` in other senses, but rarely `password`.
 * The value of `auth` is secret if it is a base64-encoded name and password, as in Docker's
 * settings.
 */
export type Kind = 'password' | 'token' | 'authorization' | 'auth';

const PASSWORD = /(?:password|passwd|passphrase|pwd)\d{0,2}$/;
const TOKEN = /(?:secret|token|apikey|secretkey|accesskey|accountkey|privatekey)\d{0,2}$/;
const NAME_MAX = 64;
/** The maximum number of blanks after a name, because values may be aligned in a column. */
export const BLANKS_MAX = 64;
const blank = chars(' \\t');
const nameChars: Chars = chars('A-Za-z0-9_-');

/** `dbPassword`, `DB_PASSWORD` and `db-password` alike; not `max_tokens`, `password_hash`. */
export function kindOfName(name: string): Kind | null {
  const plain = name.replace(/[_-]/g, '').toLowerCase();
  if (PASSWORD.test(plain)) return 'password';
  if (TOKEN.test(plain)) return 'token';
  if (plain.endsWith('authorization')) return 'authorization';
  return plain === 'auth' ? 'auth' : null;
}

/** The name at the end of the output, ignoring a closing quote, bracket and blanks after it. */
export function nameBefore(output: string): string {
  const before = output.slice(-NAME_MAX - BLANKS_MAX - 5);
  const least = before.length - BLANKS_MAX;
  let end = before.length;
  while (end > 0 && end > least && blank(before.charCodeAt(end - 1))) end--;
  end -= /(?:\\{0,3}["'`])?\]?$/.exec(before.slice(Math.max(0, end - 5), end))![0].length;
  let from = end;
  while (from > 0 && end - from < NAME_MAX && nameChars(before.charCodeAt(from - 1))) from--;
  return before.slice(from, end);
}

const TYPE_MAX = 80;
/** A type as written in code: `str`, `string | null`, `Optional[bytes]`, `&str`. */
const TYPE = /^\s{0,4}[&*]?[A-Za-z_][\w.<>|[\], ]*$/;

/** The name whose type is at the end of `before`, as in `password: str`; empty if there is none. */
export function typedNameBefore(before: string): string {
  const seen = before.slice(1 - CONTEXT);
  const colon = seen.lastIndexOf(':');
  if (colon === -1 || seen.length - colon > TYPE_MAX || !TYPE.test(seen.slice(colon + 1)))
    return '';
  return nameBefore(seen.slice(0, colon).replace(/[?!]$/, ''));
}

/**
 * A name given by another field: `{"name": "DB_PASSWORD", "value"`, `- name: DB_PASSWORD\n value`.
 */
const PAIR =
  /\b(?:name|key)\\{0,3}["']?\s{0,8}[:=]\s{0,8}\\{0,3}["']?([\w.-]{1,64})\\{0,3}["']?(?:[,\s]|\\n){1,40}\\{0,3}["']?value\\{0,3}["']?\s{0,8}$/i;

/**
 * The kind of the name at the end of `before`. If that name is `value`, the kind of the name that
 * it is paired with.
 */
export function kindBefore(before: string, name: string): Kind | null {
  if (!/^value$/i.test(name)) return kindOfName(name);
  return kindOfName(PAIR.exec(before.slice(-CONTEXT))?.[1] ?? '');
}

const LEAST: Record<Kind, number> = { password: 1, token: 6, authorization: 6, auth: 8 };
/** Values that are types, states or placeholders, not secrets. */
const NO_SECRETS = new Set(
  `string str text char varchar number int integer boolean bool object any bytes null nil none undefined
  true false yes no on off required optional missing invalid incorrect wrong empty unset changed
  bearer basic expired redacted hidden masked base64 sha256 oauth2 %s %d %v %q`.split(/\s+/),
);
const STAND_IN =
  /^(?:\$\{[^}]*\}|\$[A-Z_][A-Z0-9_]*|\$\d|<[^<>]*>|\{\{.*\}\}|\{\w*\}|%\(\w+\)s|(.)\1*|\.{3}.*)$/s;
/** The longest placeholder; a longer value is always a secret. */
export const STAND_IN_MAX = 64;

/** Whether a complete value is a secret. */
export function isSecretValue(kind: Kind, name: string, value: string): boolean {
  if (value.length < LEAST[kind]) return false;
  if (kind === 'auth') return isNameAndPassword(value);
  // `pwd` may mean the working directory as well as a password.
  if (/^(?:old)?pwd$/i.test(name) && /^[/~.]/.test(value)) return false;
  if (value.length > STAND_IN_MAX) return true;
  if (STAND_IN.test(value) && !(kind === 'password' && /^\w+$/.test(value))) return false;
  // Such numbers are counters or one-time codes.
  if (kind !== 'password' && /^\d{1,12}$/.test(value)) return false;
  return !NO_SECRETS.has(value.toLowerCase().replace(/[!?]$/, ''));
}

/** Whether a value, or the beginning of a long value, is `name:password` in base64. */
function isNameAndPassword(value: string): boolean {
  const start = value.slice(0, STAND_IN_MAX);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(start) || start.length % 4 !== 0) return false;
  return /^[!-9;-~]*:[ -~]+$/.test(atob(start));
}
