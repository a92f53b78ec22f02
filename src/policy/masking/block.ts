import { CONTEXT, type Rest, type View } from './rule.ts';

/* Blocks of YAML: `password: |` and lines that are indented deeper than the name. */

const HEADER_MAX = 40;
const INDENT_MAX = 200;
const BLOCK_MAX = 32 * 1024;

export interface Block {
  /** Where its first line begins, behind the blanks. */
  readonly from: number;
  /** Of the name; lines of the block have more. */
  readonly indent: number;
}

/** The block that begins at `from`, with its `|` or `>`; null if there is none. */
export function startOfBlock({ text, final, before }: View, from: number): Block | 'more' | null {
  if (text[from] !== '|' && text[from] !== '>') return null;
  const header = text.slice(from, from + HEADER_MAX);
  if (/^[|>][-+\d]{0,2}[ \t]*\r?$/.test(header) && header.length < HEADER_MAX && !final) {
    return 'more';
  }
  const first = /^[|>][-+\d]{0,2}[ \t]*\r?\n/.exec(header);
  const indent = indentBefore(before);
  if (first === null || indent === null) return null;
  const line = from + first[0].length;
  const blanks = /^[ \t]*/.exec(text.slice(line, line + INDENT_MAX))![0].length;
  const at = line + blanks;
  if (at === text.length && blanks < INDENT_MAX && !final) return 'more';
  if (blanks <= indent || blanks === INDENT_MAX || at === text.length) return null;
  return text[at] === '\n' || text[at] === '\r' ? null : { from: at, indent };
}

/** Of the last line of the output; the dash of a list counts. Null if its beginning is too far back. */
function indentBefore(before: string): number | null {
  const seen = before.slice(-CONTEXT);
  const start = seen.lastIndexOf('\n') + 1;
  if (start === 0 && seen.length === CONTEXT) return null;
  return /^[ \t-]*/.exec(seen.slice(start))![0].length;
}

/** Skips lines that are indented deeper, and blank ones between them. */
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
