/*
 * Splits a command into words. A *plain* command consists only of words and quotes, so its words
 * are known without running a shell. A parser with the whole grammar of bash would only be worth
 * its size if rules could judge more than words.
 */

/** The words as the program receives them, or the syntax that makes them unknown. */
export type Plain =
  | { readonly words: readonly string[]; readonly why?: never }
  | { readonly words: null; readonly why: string };

const SYNTAX = new Map([
  [';', 'a ";"'],
  ['&', 'an "&"'],
  ['|', 'a pipe'],
  ['<', 'a redirection'],
  ['>', 'a redirection'],
  ['(', 'a parenthesis'],
  [')', 'a parenthesis'],
  ['$', 'a "$"'],
  ['`', 'a command substitution'],
  ['\\', 'a backslash'],
  ['*', 'a wildcard'],
  ['?', 'a wildcard'],
  ['[', 'a wildcard'],
  [']', 'a wildcard'],
  ['{', 'a brace'],
  ['}', 'a brace'],
]);
/** Characters that are special only at the beginning of a word. */
const WORD_START = new Map([
  ['#', 'a comment'],
  ['~', 'a "~"'],
  ['=', 'a "="'],
]);
/** Characters that are still special between double quotes. */
const IN_DOUBLE_QUOTES = new Set(['$', '`', '\\']);

export const RESERVED: ReadonlySet<string> = new Set(
  '! if then else elif fi for select while until do done case esac in function coproc'.split(' '),
);
/** Programs and builtins that run their arguments as a command. */
export const RUNNERS: ReadonlySet<string> = new Set(
  (
    'bash sh zsh dash ash ksh mksh fish csh tcsh pwsh powershell busybox toybox eval exec source . command ' +
    'builtin trap alias env sudo doas su runuser setpriv chroot unshare nsenter bwrap firejail nohup time nice ' +
    'ionice chrt taskset timeout setsid stdbuf unbuffer script watch xargs parallel flock strace ltrace at batch'
  ).split(' '),
);
export const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Characters without a special meaning anywhere. */
const ORDINARY = /[\w./:,@%+-]+/y;

const not = (why: string): Plain => ({ words: null, why });

/** Splits as a shell does, in one pass. In a rule (`inRule`), `*` and `~` are ordinary characters. */
export function plainWords(command: string, inRule = false): Plain {
  if (/\p{C}/u.test(command)) return not('a line break or an invisible character');
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < command.length; at++) {
    ORDINARY.lastIndex = at;
    const [run = ''] = ORDINARY.exec(command) ?? [];
    if (run !== '') {
      word = (word ?? '') + run;
      at += run.length - 1;
      continue;
    }
    const char = command[at]!;
    if (char === ' ') {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === "'" || char === '"') {
      const end = command.indexOf(char, at + 1);
      if (end === -1) return not('an unclosed quote');
      const inside = command.slice(at + 1, end);
      if (char === '"') {
        const live = [...inside].find((one) => IN_DOUBLE_QUOTES.has(one));
        if (live !== undefined) return not(SYNTAX.get(live)!);
      }
      word = (word ?? '') + inside;
      at = end;
    } else {
      // bash expands `a=~/x` and `a=x:~/y` as assignments even after a program's name.
      const isStart = word === null || (char === '~' && isAfterSign(command, at));
      const syntax = SYNTAX.get(char) ?? (isStart ? WORD_START.get(char) : undefined);
      if (syntax !== undefined && !(inRule && (char === '*' || char === '~'))) return not(syntax);
      if (/\p{Z}/u.test(char)) return not('an unusual space');
      word = (word ?? '') + char;
    }
  }
  if (word !== null) words.push(word);
  return inRule ? { words } : startOf(words);
}

/**
 * Whether `=` or `:`, possibly quoted, precedes this position. Reads only two characters, so
 * splitting stays linear.
 */
function isAfterSign(command: string, at: number): boolean {
  const isQuote = command[at - 1] === "'" || command[at - 1] === '"';
  const before = command[isQuote ? at - 2 : at - 1];
  return before === '=' || before === ':';
}

/** Rejects commands whose first word changes the meaning of the others. */
function startOf(words: readonly string[]): Plain {
  const [first] = words;
  if (first === undefined) return not('no words');
  if (/^[A-Za-z_]\w*\+?=/.test(first)) return not('a variable assignment');
  if (RESERVED.has(first)) return not(`the shell keyword "${first}"`);
  const name = baseName(first);
  if (RUNNERS.has(name) || (name === 'find' && words.some((word) => FIND_RUNS.has(word)))) {
    return not(`"${name}", which runs other commands`);
  }
  return { words };
}

/** `/bin/RM` counts as `rm`, because some file systems ignore case. */
export const baseName = (word: string): string =>
  word.slice(word.lastIndexOf('/') + 1).toLowerCase();

/**
 * The visible words of a command that is not plain, for deny rules. The parts between operators are
 * given in two readings: with the quotes removed (`r''m`), and with quoted text split into words
 * (`bash -c "rm x"`).
 */
export function looseParts(command: string): string[][] {
  const joined = command.replace(/\\\r?\n/g, ' ');
  const readings = new Set([joined.replace(/["'\\]/g, ''), joined.replace(/["'\\,!]/g, ' ')]);
  return [...readings].flatMap((text) =>
    text
      .split(/[;&|\r\n()`]/)
      .map((part) => part.split(/[\s<>{}$]+/).filter((word) => word !== ''))
      .filter((words) => words.length > 0),
  );
}
