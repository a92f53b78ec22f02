import { expect, test } from 'vitest';
import { RunState } from '../../src/contract/run.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import { countOf, dayLabel, everyDay, firstAndRest, isRunGroup, timeTaken } from './figures.ts';

const none = Object.fromEntries(RunState.options.map((state) => [state, 0])) as Record<
  RunState,
  number
>;
const line = (key: string, costUsd: number) => ({
  key,
  costUsd,
  estimatedUsd: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
  invocations: 1,
});

test('[C2] tiles count current runs, and runs that ended in the last seven days', () => {
  const day = { day: '2026-11-16', succeeded: 3, failed: 1, cancelled: 2, costUsd: 0 };
  const stats = {
    runs: { ...none, running: 2, dequeued: 1, retry_scheduled: 1, queued: 4, succeeded: 99 },
    sessions: { PENDING: 0, ACTIVE: 1, IDLE: 0, ERROR: 0, COMPLETED: 0, TERMINATED: 0 },
    queueWaitMs: null,
    days: [day, day],
  };
  expect(countOf('running', stats)).toBe(3);
  expect(countOf('queued', stats)).toBe(5);
  expect(countOf('waiting', stats)).toBe(0);
  expect(countOf('succeeded', stats)).toBe(6);
  expect(countOf('failed', stats)).toBe(2);
});

test('[C2] the query parameter is a group of runs, or ignored', () => {
  expect(isRunGroup('failed')).toBe(true);
  expect(isRunGroup('toString')).toBe(false);
  expect(isRunGroup(1)).toBe(false);
});

test('[C2] [A5] days without cost are included, in order, today last', () => {
  const now = Date.parse('2026-03-01T00:30:00Z');
  const days = everyDay([line('2026-02-28', 1.5), line('2026-01-01', 9)], 3, now);
  expect(days).toEqual([
    { day: '2026-02-27', costUsd: 0 },
    { day: '2026-02-28', costUsd: 1.5 },
    { day: '2026-03-01', costUsd: 0 },
  ]);
});

test('[C2] [A5] everything after the first few is one sum', () => {
  const lines = [line('a', 3), line('b', 2), line('c', 1), line('d', 0.5)];
  expect(firstAndRest(lines, 2)).toMatchObject({ rest: 1.5, restCount: 2 });
  expect(firstAndRest(lines, 4)).toMatchObject({ rest: 0, restCount: 0 });
});

test('[C2] a run lasts from its start to its end, or until now', () => {
  const run = (startedAt: string | null, finishedAt: string | null) =>
    ({ startedAt, finishedAt }) as RunView;
  const now = Date.parse('2026-11-16T10:00:10Z');
  expect(timeTaken(run(null, null), now)).toBeNull();
  expect(timeTaken(run('2026-11-16T10:00:00Z', null), now)).toBe(10_000);
  expect(timeTaken(run('2026-11-16T10:00:00Z', '2026-11-16T10:00:02Z'), now)).toBe(2000);
  // This browser's clock is slow.
  expect(timeTaken(run('2026-11-16T10:00:20Z', null), now)).toBe(0);
});

test('[C2] days are in UTC in both languages', () => {
  expect(dayLabel('2026-11-16', 'en')).toBe('Nov 16');
  expect(dayLabel('2026-11-16', 'ja')).toBe('11/16');
});
