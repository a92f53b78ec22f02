export interface Column {
  /** Shown under the column. */
  readonly label: string;
  /** One value per series, from the bottom up. */
  readonly values: readonly number[];
}

/** A segment of a column, as percentages of the chart area; y is measured from the top. */
export interface Piece {
  readonly series: number;
  readonly y: number;
  readonly height: number;
}

export const totalOf = ({ values }: Column): number => values.reduce((sum, each) => sum + each, 0);

/**
 * The top of the scale: the smallest number of the form 1, 2 or 4 times a power of ten that no
 * value exceeds. Half of it is also a round number.
 */
export function topOf(columns: readonly Column[], least: number): number {
  const highest = Math.max(least, ...columns.map(totalOf));
  const tens = 10 ** Math.floor(Math.log10(highest));
  const step = [1, 2, 4, 10].find((each) => each * tens >= highest) ?? 10;
  return step * tens;
}

export function piecesOf({ values }: Column, top: number): Piece[] {
  let y = 100;
  return values.flatMap((value, series) => {
    const height = (value / top) * 100;
    y -= height;
    return value > 0 ? [{ series, y, height }] : [];
  });
}

/**
 * Whether a column has a label. At most `most` columns do, or half as many on a phone. The last
 * column always does.
 */
export function labelled(index: number, count: number, most: number): 'always' | 'wide' | 'never' {
  const step = Math.ceil(count / most);
  const away = count - 1 - index;
  if (away % step !== 0) return 'never';
  return (away / step) % 2 === 0 ? 'always' : 'wide';
}
