import { cutTo, displayWidth, padEnd } from './width.ts';

export interface Cell {
  readonly text: string;
  /** Puts colours around the text, which is padded and cut without them. */
  readonly style?: (text: string) => string;
}

const GAP = '  ';
/** A column is cut no narrower than this, even if the line then breaks. */
const NARROWEST = 8;

/**
 * Lines of aligned columns, each no wider than `width` columns of the terminal. What does not fit is
 * taken from the widest of the columns in `flexible`.
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
