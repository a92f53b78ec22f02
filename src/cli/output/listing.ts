import { printJson, printLine } from './output.ts';
import { type Colours, coloursFor } from './style.ts';
import { type Cell, table } from './table.ts';
import { plainLine } from './terminal-filter.ts';

export interface Column<T> {
  readonly head: string;
  /** What a terminal shows; control codes are removed here. */
  readonly text: (item: T) => string;
  readonly style?: (item: T, colours: Colours) => (text: string) => string;
  /** May be truncated if the line is too long. */
  readonly flexible?: true;
}

export interface Listing<T> {
  readonly columns: readonly Column<T>[];
  /** What is written to a pipe: full ids and exact times, separated by tabs. */
  readonly fields: (item: T) => readonly (string | number | null)[];
  /** What a terminal shows for an empty list. */
  readonly empty: string;
}

/**
 * Prints JSON, tab-separated lines for a pipe, or a table for a terminal. The table contains no
 * control codes.
 */
export function printList<T>(items: readonly T[], json: boolean, listing: Listing<T>): void {
  if (json) printJson(items);
  else if (!process.stdout.isTTY) for (const each of items) printLine(tabbed(listing.fields(each)));
  else if (items.length === 0) printLine(listing.empty);
  else for (const line of forTerminal(items, listing.columns)) printLine(line);
}

const tabbed = (fields: readonly (string | number | null)[]): string =>
  fields.map((value) => plainLine(String(value ?? ''))).join('\t');

function forTerminal<T>(items: readonly T[], columns: readonly Column<T>[]): string[] {
  const colours = coloursFor(process.stdout, process.env);
  const rows = items.map((item) =>
    columns.map(
      ({ text, style }): Cell => ({
        text: plainLine(text(item)),
        ...(style === undefined ? {} : { style: style(item, colours) }),
      }),
    ),
  );
  // Columns that are empty in every row are left out.
  const shown = columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ index }) => rows.some((row) => row[index]?.text !== ''));
  const head = shown.map((column) => ({ text: column.head, style: colours.dim }));
  return table([head, ...rows.map((row) => shown.map(({ index }) => row[index] as Cell))], {
    width: process.stdout.columns || 80,
    flexible: shown.flatMap(({ flexible }, position) => (flexible ? [position] : [])),
  });
}

/** The shortest prefix length, at least 8, that keeps these ids distinct. */
export function distinctLength(ids: readonly string[]): number {
  let length = 8;
  while (new Set(ids.map((id) => id.slice(0, length))).size < new Set(ids).size) length++;
  return length;
}
