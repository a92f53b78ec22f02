/** One measured figure, as one line of the output. */
export interface Result {
  readonly bench: string;
  readonly case: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** Begins with the npm name of the peer. */
  readonly peer?: string;
  /** Baton ÷ peer, for rates and for times. */
  readonly ratio?: number;
}

export type Figure = Omit<Result, 'bench' | 'case'>;
export type Report = (figure: Figure) => void;

/** Baton's value, then a line for each peer with its value and the ratio. */
export function compare(
  report: Report,
  baton: Omit<Figure, 'peer' | 'ratio'>,
  peers: Readonly<Record<string, number>>,
): void {
  report(baton);
  for (const [peer, value] of Object.entries(peers)) {
    report({ ...baton, value, peer, ratio: baton.value / value });
  }
}

export const asJson = (result: Result): string =>
  JSON.stringify({
    ...result,
    value: rounded(result.value),
    ...(result.ratio === undefined ? {} : { ratio: rounded(result.ratio) }),
  });

const WIDTHS = { case: 20, metric: 36, value: 12, unit: 10, ratio: 8 };

export const heading = (): string => line('case', 'metric', 'value', 'unit', 'ratio', 'peer');

export const asRow = (result: Result): string =>
  line(
    result.case,
    result.metric,
    String(rounded(result.value)),
    result.unit,
    result.ratio === undefined ? '' : String(rounded(result.ratio)),
    result.peer ?? '',
  );

function line(
  name: string,
  metric: string,
  value: string,
  unit: string,
  ratio: string,
  peer: string,
): string {
  return [
    name.padEnd(WIDTHS.case),
    metric.padEnd(WIDTHS.metric),
    value.padStart(WIDTHS.value),
    unit.padEnd(WIDTHS.unit),
    ratio.padStart(WIDTHS.ratio),
    peer,
  ]
    .join(' ')
    .trimEnd();
}

/** Three significant digits, and all digits before the decimal point. */
function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}
