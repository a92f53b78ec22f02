import type { Row } from '../log/rows.ts';
import type { RunInfo } from '../log/run-cache.ts';

/* Searches a conversation that is only partly on the page. */

/** Lowercase text of each row, computed once. */
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

/** Seqs of the matching rows. */
export function matchesOf(
  rows: readonly Row[],
  runs: ReadonlyMap<string, RunInfo | null>,
  query: string,
): readonly number[] {
  const text = query.trim().toLowerCase();
  if (text === '') return [];
  const matches: number[] = [];
  for (const row of rows) {
    const message = row.kind === 'start' ? runs.get(row.runId ?? '')?.message : null;
    if (textOf(row).includes(text) || message?.toLowerCase().includes(text) === true) {
      matches.push(row.seq);
    }
  }
  return matches;
}

/** The next or previous match, wrapping around; the last one if there is no current match. */
export function stepTo(matches: readonly number[], from: number | null, by: 1 | -1): number | null {
  if (matches.length === 0) return null;
  const at = from === null ? -1 : matches.indexOf(from);
  if (at === -1) return matches.at(-1)!;
  return matches[(at + by + matches.length) % matches.length]!;
}
