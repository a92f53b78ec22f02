import { cutTo, displayWidth, padEnd } from './width.ts';

export interface Cell {
  readonly text: string;
  /** Adds colours to the text after it has been padded and truncated. */
  readonly style?: (text: string) => string;
}

const GAP = '  ';
/** A column never gets narrower than this, even if the line then wraps. */
const NARROWEST = 8;

/**
 * Lines of aligned columns, each line at most `width` terminal columns wide. If they do not fit, the
 * widest of the `flexible` columns is narrowed.
 */
export function table(
  rows: readonly (readonly Cell[])[],
  options: { width: number; flexible: readonly number[] },
): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column]?.text ?? ''))),
  );
  const spare = () =>
    options.width - widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
  while (spare() < 0) {
    const widest = options.flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined || (widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return rows.map((row) =>
    row
      .map((cell, column) => draw(cell, column))
      .join(GAP)
      .trimEnd(),
  );

  function draw({ text, style = (each) => each }: Cell, column: number): string {
    const width = widths[column] ?? 0;
    const cut = cutTo(text, width);
    return style(cut) + padEnd(cut, width).slice(cut.length);
  }
}
