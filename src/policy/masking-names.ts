import { type Chars, chars } from './masking-rule.ts';

/* Which names hold secrets, and which values are none. */

/** How sure a name is: a `token` is often a word of a language, a password never is. */
export type Kind = 'password' | 'token' | 'authorization';

const PASSWORD = /(?:password|passwd|passphrase|pwd)\d{0,2}$/;
const TOKEN = /(?:secret|token|apikey|secretkey|accesskey|privatekey)\d{0,2}$/;
const NAME_MAX = 64;
const nameChars: Chars = chars('A-Za-z0-9_-');

/** `dbPassword`, `DB_PASSWORD` and `db-password` alike; not `max_tokens`, `password_hash`. */
export function kindOfName(name: string): Kind | null {
  const plain = name.replace(/[_-]/g, '').toLowerCase();
  if (PASSWORD.test(plain)) return 'password';
  if (TOKEN.test(plain)) return 'token';
  return plain.endsWith('authorization') ? 'authorization' : null;
}

/** The name at the end of `before`, through its closing quote, bracket and blanks. */
export function nameBefore(output: string): string {
  const before = output.slice(-NAME_MAX - 8);
  const end = before.length - /(?:\\{0,3}["'`])?\]?[ \t]{0,3}$/.exec(before)![0].length;
  let from = end;
  while (from > 0 && end - from < NAME_MAX && nameChars(before.charCodeAt(from - 1))) from--;
  return before.slice(from, end);
}

const LEAST: Record<Kind, number> = { password: 1, token: 6, authorization: 6 };
/** Types, states and stand-ins. */
const NO_SECRETS = new Set(
  `string str text char varchar number int integer boolean bool object any bytes null nil none undefined
  true false yes no on off required optional missing invalid incorrect wrong empty unset changed
  bearer basic expired redacted hidden masked base64 sha256 oauth2 %s %d %v %q`.split(/\s+/),
);
const STAND_IN =
  /^(?:\$\{[^}]*\}|\$[A-Z_][A-Z0-9_]*|\$\d|<[^<>]*>|\{\{.*\}\}|\{\w*\}|%\(\w+\)s|(.)\1*|\.{3}.*)$/s;
/** What a stand-in is at most; a longer value is taken as it is. */
export const STAND_IN_MAX = 64;

/** Whether the whole value, in quotes or in JSON, is something to hide. */
export function isSecretValue(kind: Kind, name: string, value: string): boolean {
  if (value.length < LEAST[kind]) return false;
  // The working directory has the same short name as a password.
  if (/^(?:old)?pwd$/i.test(name) && /^[/~.]/.test(value)) return false;
  if (value.length > STAND_IN_MAX) return true;
  if (STAND_IN.test(value) && !(kind === 'password' && /^\w+$/.test(value))) return false;
  // Counters and one-time codes.
  if (kind !== 'password' && /^\d{1,12}$/.test(value)) return false;
  return !NO_SECRETS.has(value.toLowerCase().replace(/[!?]$/, ''));
}
