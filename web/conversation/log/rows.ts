import type { Block, ToolBlock } from './blocks.ts';

/** Several read-only calls folded into one row. */
export interface FoldRow {
  readonly kind: 'fold';
  readonly id: string;
  readonly seq: number;
  readonly tools: readonly ToolBlock[];
}
export type Row = Block | FoldRow;

const READING = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead']);
/** Fewer calls than this are shown one by one. */
const MANY = 3;

export function rowsOf(all: readonly Block[]): Row[] {
  const blocks = all.filter((block) => block.kind !== 'steered' || !block.over);
  const rows: Row[] = [];
  let from = 0;
  while (from < blocks.length) {
    const first = blocks[from]!;
    const tools: ToolBlock[] = [];
    for (let at = from; at < blocks.length; at++) {
      const block = blocks[at]!;
      if (block.kind !== 'tool' || !isQuietRead(block)) break;
      tools.push(block);
    }
    if (tools.length >= MANY) {
      rows.push({ kind: 'fold', id: `f${first.seq}`, seq: first.seq, tools });
      from += tools.length;
    } else {
      rows.push(first);
      from++;
    }
  }
  return rows;
}

const isQuietRead = ({ tool, result, asking, refused }: ToolBlock): boolean =>
  READING.has(tool) && result?.ok === true && asking === null && refused === null;

/** Index of the row that shows an event: the last row that starts at or before the event. */
export function rowOfEvent(rows: readonly Row[], seq: number): number {
  let row = 0;
  for (let at = 0; at < rows.length && rows[at]!.seq <= seq; at++) row = at;
  return row;
}
