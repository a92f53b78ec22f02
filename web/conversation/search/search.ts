import type { Row } from '../log/rows.ts';
import type { RunInfo } from '../log/run-cache.ts';

/* Looking for a text in a conversation, of which only a part is on the page. */

/** In small letters; made once for each row. */
const texts = new WeakMap<Row, string>();

function textOf(row: Row): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const text = plainOf(row).toLowerCase();
  texts.set(row, text);
  return text;
}

function plainOf(row: Row): string {
  switch (row.kind) {
    case 'text':
    case 'thinking':
    case 'notice':
    case 'steered':
      return row.text;
    case 'tool':
      return `${row.tool} ${JSON.stringify(row.input)} ${row.result?.text ?? ''}`;
    case 'fold':
      return row.tools.map(plainOf).join('\n');
    case 'end':
    case 'retry':
      return row.error?.message ?? '';
    default:
      return '';
  }
}

/** The rows that have it, by their seq. */
export function matchesOf(
  rows: readonly Row[],
  runs: ReadonlyMap<string, RunInfo | null>,
  wanted: string,
): readonly number[] {
  const text = wanted.trim().toLowerCase();
  if (text === '') return [];
  const found: number[] = [];
  for (const row of rows) {
    const message = row.kind === 'start' ? runs.get(row.runId ?? '')?.message : null;
    if (textOf(row).includes(text) || message?.toLowerCase().includes(text) === true) {
      found.push(row.seq);
    }
  }
  return found;
}

/** The match after or before one, round the ends; from nowhere it is the last one. */
export function stepTo(matches: readonly number[], from: number | null, by: 1 | -1): number | null {
  if (matches.length === 0) return null;
  const at = from === null ? -1 : matches.indexOf(from);
  if (at === -1) return matches.at(-1)!;
  return matches[(at + by + matches.length) % matches.length]!;
}
