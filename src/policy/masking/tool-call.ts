/*
 * What a mask in a tool call may cover (P4). A shell runs the call as it is, while the person who
 * approves it sees the masked text. So everything that could change what the shell does stays
 * visible: quotes, substitutions, separators, redirections, wildcards, commas in braces, comments,
 * line breaks and blanks. Even blanks in quotes stay: `eval`, `env -S`, `ssh` and unquoted
 * variables split text into words again.
 */

const SYNTAX = /[$`;|&<>(){}[\]*?,"'\\\s]/;
const PLAIN = /[^$`;|&<>(){}[\]*?,"'\\\s]+/g;

/** Where a mask may begin and how far it may reach, in complete text. */
export interface Cover {
  mayBegin(text: string, from: number): boolean;
  /** Where a mask for the text between `from` and `end` must end. */
  end(text: string, from: number, end: number): number;
}

export const callCover: Cover = {
  mayBegin(text, from) {
    const sign = text[from];
    // In a git alias, the text after `!` is a command.
    if (sign === '!') return false;
    // At the start of a word, these characters begin a comment, a home directory and, in zsh, a
    // program's path.
    if (sign !== '#' && sign !== '~' && sign !== '=') return true;
    const isWordStart = from === 0 || SYNTAX.test(text[from - 1]!);
    return !isWordStart && !(sign === '~' && /[=:]/.test(text[from - 1]!));
  },
  end(text, from, end) {
    for (let at = from; at < end; at++) if (SYNTAX.test(text[at]!)) return at;
    return end;
  },
};

/** Hides a known secret completely, except for shell syntax in it. */
export const coverKnown = (secret: string, mask: string): string =>
  secret.replace(PLAIN, (word) => {
    const signs = /^[!#~=]*/.exec(word)![0];
    return signs === word ? word : signs + mask;
  });

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_MAX = 32 * 1024;
const LINE_BREAK = /(\r?\n|\\n)/;

/** Masks each line of a private key on its own. */
export function maskKeyLines(text: string, mask: string, onMasked: () => void): string {
  const parts: string[] = [];
  let at = 0;
  for (const begin of text.matchAll(BEGIN)) {
    if (begin.index < at) continue;
    const from = begin.index + begin[0].length;
    const most = text.slice(from, from + KEY_MAX);
    const ending = most.indexOf('-----END ');
    const block = ending === -1 ? most : most.slice(0, ending);
    const masked = maskLines(block, mask);
    parts.push(text.slice(at, from), masked);
    if (masked !== block) onMasked();
    at = from + block.length;
  }
  return at === 0 ? text : parts.join('') + text.slice(at);
}

function maskLines(block: string, mask: string): string {
  // The parts include the line breaks.
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

/** A line of a key may be preceded by a line number and followed by a closing quote. */
const LINE = /^([ \t]*(?:\d+→)?)([A-Za-z0-9+/]*={0,2})(.*)$/s;
/** A line of a key contains all of these; the name of a program hardly ever does. */
const MIXED = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{24,}$/;
/** The usual line lengths: PEM and PGP, OpenSSH, MIME. */
const USUAL: ReadonlySet<number> = new Set([64, 70, 76]);
const LAST = /[^=]=/;
/**
 * A slash this early means a path, unless the line is as long as a key's line or follows such a
 * line.
 */
const PATH = /^.{0,15}\//;

function isKeyLine(run: string, before: string | null): boolean {
  if (!MIXED.test(run)) return before !== null && LAST.test(run);
  if (USUAL.has(run.length) || !PATH.test(run)) return true;
  if (before === null) return false;
  return run.length === before.length || (USUAL.has(before.length) && run.length < before.length);
}
