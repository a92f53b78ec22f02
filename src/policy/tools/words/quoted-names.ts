import { PATH_MAX } from './short-path.ts';

/*
 * Names with spaces or shell syntax in them: `"my notes.txt"`, `my\ notes.txt`. `looseParts` splits
 * them, because what is quoted may just as well be a command. It also splits at unusual spaces,
 * which a shell leaves in the word.
 */

/** What ends a word outside quotes. */
const ENDS = /[ \t\r\n;&|<>(){}$`]/;
const SPECIAL = /[\s;&|<>(){}$`"'\\]/;
const BARE = /[^\s;&|<>(){}$`"'\\]*/y;
/** Characters that any number of backslashes can make part of a name. */
const ESCAPED_RUNS = /(?:\\+.|[^\s;&|<>(){}$`"'\\])+/gs;
/** A sign in a word may come before a path: `--file=path`, `HEAD:path`. */
const SIGNS = /[=:,@]/g;
const SIGNS_MAX = 8;

export const QUOTED_MAX = 1000;
const CHARACTERS_MAX = 64 * 1024;
/** How many characters of candidates to look at; each also counts as this many. */
const WORK_MAX = 1024 * 1024;
const CANDIDATE_WORK = 50;

/**
 * The names in a command that is not plain, if only quotes, backslashes or the shell's idea of a
 * space keep them in one piece; null if there are too many. It is unknown where the shell would
 * start a quoted string (comments and here-documents may contain single quotes, substitutions have
 * quotes of their own), so the text between any two adjacent quotes counts. Takes linear time.
 */
export function quotedNames(text: string): ReadonlySet<string> | null {
  const names = new Set<string>();
  if (!/["'\\]|[^\S \t\r\n]/.test(text)) return names;
  let characters = 0;
  let work = 0;
  for (const word of candidatesIn(text)) {
    work += word.length + CANDIDATE_WORK;
    if (work > WORK_MAX) return null;
    for (const name of withoutPrefixes(word)) {
      if (!SPECIAL.test(name) || !/[\p{L}\p{N}]/u.test(name) || names.has(name)) continue;
      names.add(name);
      characters += name.length;
      if (names.size > QUOTED_MAX || characters > CHARACTERS_MAX) return null;
    }
  }
  return names;
}

function* candidatesIn(text: string): Iterable<string> {
  yield* wordsIn(text);
  if (text.includes('\n')) for (const line of text.split('\n')) yield* wordsIn(line);
  for (const quote of ['"', "'"]) yield* betweenQuotes(text, quote);
  for (const [run] of text.matchAll(ESCAPED_RUNS)) if (run.includes('\\')) yield bare(run);
}

/** No system opens a longer name, and the name may follow an option. */
const isShort = (word: string): boolean => word.length <= PATH_MAX + 64;
const bare = (text: string): string => text.replace(/["'\\]/g, '');

/** The words as a shell splits them, if all quotations are as they seem. */
function* wordsIn(text: string): Iterable<string> {
  let word = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') word += text[++at] ?? '';
    else if (char === "'" || char === '"') {
      for (at++; at < text.length && text[at] !== char; at++) {
        if (text[at] === '\\' && char === '"') at++;
        word += text[at] ?? '';
      }
    } else if (!ENDS.test(char)) word += char;
    else {
      if (isShort(word)) yield word;
      word = '';
    }
  }
  if (isShort(word)) yield word;
}

/** The text between each quote and the next, alone and with the bare words that touch it. */
function* betweenQuotes(text: string, quote: string): Iterable<string> {
  let from = text.indexOf(quote);
  let before = bareEnd(text.slice(0, Math.max(0, from)));
  while (from !== -1) {
    const to = text.indexOf(quote, from + 1);
    const inside = text.slice(from + 1, to === -1 ? undefined : to);
    if (isShort(inside)) {
      yield bare(inside);
      BARE.lastIndex = to + 1;
      const [after = ''] = to === -1 ? [] : (BARE.exec(text) ?? []);
      const whole = before + inside + after;
      if (whole !== inside && isShort(whole)) yield bare(whole);
    }
    before = bareEnd(inside);
    from = to;
  }
}

/** The bare word at the end of the text. Read backwards, so that it takes linear time. */
function bareEnd(text: string): string {
  let at = text.length;
  while (at > 0 && text.length - at <= PATH_MAX && !SPECIAL.test(text[at - 1]!)) at--;
  return text.slice(at);
}

function* withoutPrefixes(word: string): Iterable<string> {
  yield word;
  if (/^-[^-]/.test(word)) yield word.slice(2);
  let left = SIGNS_MAX;
  for (const { index } of word.matchAll(SIGNS)) {
    if (left-- === 0) return;
    yield word.slice(index + 1);
  }
}
