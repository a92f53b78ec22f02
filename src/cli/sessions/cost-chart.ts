import type { CostLine } from '../../contract/api/cost.ts';

const DAY_MS = 86_400_000;
const BAR_WIDTH = 24;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar whose length is relative to `most`; a positive value always has a visible bar. */
export function barOf(value: number, most: number): string {
  if (!(value > 0 && most > 0)) return '';
  const eighths = Math.max(1, Math.round((Math.min(value, most) / most) * BAR_WIDTH * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** 950, 1.2k, 34k, 5.6M: precise enough for a table. Zero is empty. */
export function shortCount(count: number): string {
  if (count < 1000) return count === 0 ? '' : `${count}`;
  const exponent = Math.min(3, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** exponent;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${'kMG'[exponent - 1]}`;
}

/** Every day from the first to the last, including those without costs. */
export function everyDay(lines: readonly CostLine[]): CostLine[] {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return [];
  const byDay = new Map(lines.map((line) => [line.key, line]));
  const days: CostLine[] = [];
  for (let at = Date.parse(first.key); at <= Date.parse(last.key); at += DAY_MS) {
    const key = new Date(at).toISOString().slice(0, 10);
    days.push(byDay.get(key) ?? { ...NO_COST, key });
  }
  return days;
}

const NO_COST = {
  costUsd: 0,
  estimatedUsd: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  invocations: 0,
};
