import type { CostLine } from '../../src/contract/api/cost.ts';
import type { RunState } from '../../src/contract/run.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Stats } from '../../src/contract/stats.ts';

/* Computes the figures of the dashboard. */

export const RUN_GROUPS = {
  running: ['running', 'dequeued'],
  waiting: ['waiting'],
  queued: ['queued', 'retry_scheduled'],
  succeeded: ['succeeded'],
  failed: ['failed', 'dead'],
} as const satisfies Record<string, readonly RunState[]>;
export type RunGroup = keyof typeof RUN_GROUPS;

export const isRunGroup = (value: unknown): value is RunGroup =>
  typeof value === 'string' && Object.hasOwn(RUN_GROUPS, value);

/** Counts current runs or, for finished ones, those of the last seven days. */
export function countOf(group: RunGroup, { runs, days }: Stats): number {
  if (group === 'succeeded' || group === 'failed')
    return days.reduce((sum, day) => sum + day[group], 0);
  return RUN_GROUPS[group].reduce((sum, state) => sum + (runs[state] ?? 0), 0);
}

export const hasRun = ({ runs }: Stats): boolean => Object.values(runs).some((count) => count > 0);

const DAY_MS = 86_400_000;

/**
 * One entry for each of the last `days` days (UTC), with today last, including days without costs.
 */
export function everyDay(
  lines: readonly CostLine[],
  days: number,
  now: number,
): { day: string; costUsd: number }[] {
  const spent = new Map(lines.map(({ key, costUsd }) => [key, costUsd]));
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, costUsd: spent.get(day) ?? 0 };
  });
}

/** The first entries, and the sum of the rest. */
export function firstAndRest(
  lines: readonly CostLine[],
  most: number,
): { first: readonly CostLine[]; rest: number; restCount: number } {
  const first = lines.slice(0, most);
  const others = lines.slice(most);
  return {
    first,
    rest: others.reduce((sum, { costUsd }) => sum + costUsd, 0),
    restCount: others.length,
  };
}

/** The duration of a run, up to now if it is still running; null before it has started. */
export function timeTaken({ startedAt, finishedAt }: RunView, now: number): number | null {
  if (startedAt === null) return null;
  const end = finishedAt === null ? now : Date.parse(finishedAt);
  return Math.max(0, end - Date.parse(startedAt));
}

/** `Nov 16`, `11/16`: short enough for a phone. The day is in UTC. */
export const dayLabel = (day: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    month: locale === 'ja' ? 'numeric' : 'short',
    day: 'numeric',
    timeZone: 'UTC',
  }).format(Date.parse(day));
