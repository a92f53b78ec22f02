import { isNamed } from './named-secrets.ts';
import { isSecretValue, kindOfName } from './names.ts';
import {
  type Chars,
  CONTEXT,
  chars,
  holdsMask,
  maskedHit,
  type Rule,
  restOfRun,
  runEnd,
  type Verdict,
  type View,
} from './rule.ts';

/* Secrets that are recognised by the file, command or URL they are in. */

const blank = chars(' \\t');
const word = chars('^\\s"\'`');
const inUrl = chars('A-Za-z0-9%_.~+/=-');
/** `$NAME`, `<name>` and the like. */
const PLACEHOLDER = /^(?:$|[$<{]|%(?![\da-f]{2})|bearer$)/i;

/**
 * Masks the run of characters from `set` that begins at `from`, if it has at least `least`
 * characters.
 */
function wordAt(view: View, from: number, set: Chars, least = 1): Verdict {
  const { text, at, final } = view;
  const end = runEnd(text, from, set, Math.max(least, 8));
  if (end === text.length && !final) return 'more';
  const secret = text.slice(from, end);
  if (secret.length < least || PLACEHOLDER.test(secret) || holdsMask(secret)) return null;
  const named = isNamed(view, from);
  if (named !== false) return named === 'more' ? 'more' : null;
  return maskedHit(from - at, end - at, restOfRun(set));
}

/** `machine host login name password secret`, on one line or several. */
const NETRC =
  /(?:^|[\s"'])(?:machine\s{1,20}\S{1,64}|default)(?:\s{1,20}(?:login|account)\s{1,20}\S{1,64}){0,2}\s{1,20}$/;
const netrcRule: Rule = {
  start: 'password',
  at(view) {
    const { text, at, final, before } = view;
    const after = at + this.start.length;
    const from = runEnd(text, after, blank, 8);
    if (from === text.length && !final) return 'more';
    if (from === after || !NETRC.test(before.slice(1 - CONTEXT))) return null;
    return wordAt(view, from, word);
  },
};

/** `host:port:database:user:password`, with a port that PostgreSQL uses. */
const PGPASS = /(?:^|[\s"'])[^\s:"'#]{1,64}:(?:543\d|6432|\*):[^\s:]{1,64}:[^\s:]{1,50}$/;
const pgpassRule: Rule = {
  start: ':',
  at: (view) =>
    PGPASS.test(view.before.slice(1 - CONTEXT)) ? wordAt(view, view.at + 1, word) : null,
};

/** `curl -u name:password`. */
const CURL = /\bcurl\b[^\n;|&]*\s$/;
/** Quoted separators and escaped line breaks do not end a command. */
const QUOTED = /\\[\s\S]|"[^"\n]*"|'[^'\n]*'/g;
const isOfCurl = (before: string): boolean =>
  CURL.test(before) ||
  CURL.test(before.slice(Math.max(0, before.lastIndexOf('curl'))).replace(QUOTED, '_'));
const curlRule = (start: string): Rule => ({
  start,
  at(view) {
    const { text, at, final, before } = view;
    if (!isOfCurl(before.slice(1 - CONTEXT))) return null;
    const given = text.slice(at + start.length, at + start.length + 100);
    const name = /^[ \t=]{0,8}(["']?)[^\s:"'`]{0,64}:/.exec(given);
    if (name === null) {
      const isOpen = given.length < 100 && /^[ \t=]{0,8}["']?[^\s:"'`]{0,64}$/.test(given);
      return isOpen && !final ? 'more' : null;
    }
    const from = at + start.length + name[0].length;
    return wordAt(view, from, name[1] === '' ? word : name[1] === '"' ? inDouble : inSingle);
  },
});
/** The groups of valueless flags that people commonly write before the `u`, as in `-su`. */
const CURL_FLAGS =
  's sS k v f L i sk ks fs sf fsS sSf sL Ls fL sSL LsS fsL fsSL sSfL LsSf sv kv'.split(' ');
const inDouble = chars('^"\\n');
const inSingle = chars("^'\\n");

/** `<password>secret</password>`. */
const ELEMENT = /^<(?:[\w-]{1,32}:)?([\w.-]{1,64})(?:\s[^<>]{0,100})?$/;
const ELEMENT_MAX = 220;
const content = chars('^<\\s');
const CONTENT_MAX = 256;
const elementRule: Rule = {
  start: '>',
  at(view) {
    const { text, at, final, before } = view;
    const open = before.lastIndexOf('<');
    if (open < before.length - ELEMENT_MAX) return null;
    const name = ELEMENT.exec(before.slice(open))?.[1] ?? '';
    const kind = kindOfName(name);
    if (kind === null) return null;
    const end = runEnd(text, at + 1, content, CONTENT_MAX);
    const value = text.slice(at + 1, end);
    const close = text.slice(end, end + 2);
    if (value.length < CONTENT_MAX) {
      if ('</'.startsWith(close) && close.length < 2 && !final) return 'more';
      if (close !== '</') return null;
    }
    if (holdsMask(value) || !isSecretValue(kind, name, value)) return null;
    if (kind !== 'password' && /^[A-Za-z_-]+$/.test(value)) return null;
    const named = isNamed(view, at + 1);
    if (named !== false) return named === 'more' ? 'more' : null;
    return maskedHit(1, end - at, restOfRun(content));
  },
};

/** Baton's own secrets, recognised by name and length: `page-key: …`, `"ticket":"…"`. */
const OWN_LENGTH = 43;
const own = chars('A-Za-z0-9_-');
const BETWEEN = /^["'\\]{0,4}[ \t]{0,4}[:=,][ \t]{0,4}["'\\]{0,4}/;
const BETWEEN_MAX = 18;
const ownRule = (start: string): Rule => ({
  start,
  anyCase: true,
  at(view) {
    const from = view.at + start.length;
    const given = view.text.slice(from, from + BETWEEN_MAX);
    const isOpen = /^["'\\ \t:=,]*$/.test(given) && given.length < BETWEEN_MAX;
    if (isOpen && !view.final) return 'more';
    const between = BETWEEN.exec(given)?.[0];
    return between === undefined ? null : wordAt(view, from + between.length, own, OWN_LENGTH);
  },
});

/** Masks the text after a prefix that appears only before secrets. */
const after = (start: string, least: number, comesAfter = /(?:)/): Rule => ({
  start,
  at(view) {
    if (!comesAfter.test(view.before.slice(-1))) return null;
    return wordAt(view, view.at + start.length, inUrl, least);
  },
});

export const formatRules: readonly Rule[] = [
  netrcRule,
  pgpassRule,
  ...['-u', '-U', '--user', '--proxy-user', ...CURL_FLAGS.map((flags) => `-${flags}u`)].map(
    curlRule,
  ),
  elementRule,
  // Azure's signed URLs.
  after('sig=', 20, /[?&;]/),
  // Baton's own.
  after('baton_session=', 20),
  after('sign-in?code=', 20),
  after('code=', OWN_LENGTH, /[?&;]/),
  ...['page-key', 'pagekey', 'ticket'].map(ownRule),
];
