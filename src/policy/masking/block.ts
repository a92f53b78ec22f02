import { CONTEXT, type Rest, type View } from './rule.ts';

/* YAML blocks: `password: |`, then lines indented deeper than the name. */

const HEADER_MAX = 140;
const INDENT_MAX = 200;
const BLOCK_MAX = 32 * 1024;

export interface Block {
  /** Where the text of the block's first line begins. */
  readonly from: number;
  /** The indentation of the name; the block's lines are indented further. */
  readonly indent: number;
}

/** The block whose `|` or `>` is at `from`; null if there is none. */
export function startOfBlock({ text, final, before }: View, from: number): Block | 'more' | null {
  if (text[from] !== '|' && text[from] !== '>') return null;
  const header = text.slice(from, from + HEADER_MAX);
  const first = HEADER.exec(header);
  if (first === null) return OPEN_HEADER.test(header) && !final ? 'more' : null;
  const indent = indentBefore(before);
  if (indent === null) return null;
  const start = from + first[0].length;
  const seen = text.slice(start, start + INDENT_MAX);
  const empty = EMPTY_LINES.exec(seen)![0].length;
  const blanks = /^[ \t]*/.exec(seen.slice(empty))![0].length;
  const at = start + empty + blanks;
  const isOpen = at === text.length || (text[at] === '\r' && at + 1 === text.length);
  if (isOpen && empty + blanks < INDENT_MAX && !final) return 'more';
  if (blanks <= indent || empty + blanks === INDENT_MAX || at === text.length) return null;
  return text[at] === '\n' || text[at] === '\r' ? null : { from: at, indent };
}

/**
 * A block's first line: the `|` or `>`, indicators for line breaks and indentation, and a comment.
 */
const HEADER = /^[|>][-+\d]{0,2}[ \t]{0,40}(?:#[^\n]{0,80})?\r?\n/;
const OPEN_HEADER = /^[|>][-+\d]{0,2}[ \t]{0,40}(?:#[^\n]{0,80})?\r?$/;
const EMPTY_LINES = /^(?:[ \t]*\r?\n){0,8}/;

/**
 * How far the last line of the output is indented, counting a list's dash; null if the line is too
 * long.
 */
function indentBefore(before: string): number | null {
  const seen = before.slice(-CONTEXT);
  const start = seen.lastIndexOf('\n') + 1;
  if (start === 0 && seen.length === CONTEXT) return null;
  return /^[ \t-]*/.exec(seen.slice(start))![0].length;
}

/** Skips lines with more indentation, and empty lines between them. */
export function restOfBlock(indent: number): Rest {
  let left = BLOCK_MAX;
  const most = indent + INDENT_MAX;
  return (text, from, final) => {
    let at = from;
    const stay = (done: boolean): { at: number; done: boolean } => {
      left -= at - from;
      return { at, done };
    };
    while (left - (at - from) > 0) {
      const end = text.indexOf('\n', at);
      if (end === -1) {
        at = text.length;
        return stay(false);
      }
      at = end;
      const next = /^\s*/.exec(text.slice(end, end + most))![0];
      const blanks = next.length - next.lastIndexOf('\n') - 1;
      const isOpen = end + next.length === text.length && next.length < most;
      if (isOpen && !final) return stay(false);
      if (isOpen || (blanks <= indent && next.length < most)) return stay(true);
      at = end + next.length;
    }
    return stay(true);
  };
}
