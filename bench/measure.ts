/** The middle value, or the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values for a median');
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** The smallest value that at least `share` (0…1) of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('no values for a percentile');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/**
 * Measures each contender once per round, in turn, so that other load on the machine affects all of
 * them; returns all values of each.
 */
export async function interleave<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contenders) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) values[name].push(await contenders[name]());
  }
  return values;
}

/** The median of each contender's values. */
export function medians<Name extends string>(
  values: Readonly<Record<Name, readonly number[]>>,
): Record<Name, number> {
  const names = Object.keys(values) as Name[];
  return Object.fromEntries(names.map((name) => [name, median(values[name])])) as Record<
    Name,
    number
  >;
}

/** Milliseconds on a clock that all processes of the machine share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Count per second. */
export const rate = (count: number, ms: number): number => (count / ms) * 1000;
