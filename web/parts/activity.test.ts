import { expect, test } from 'vitest';
import { doingOf } from './activity.ts';

const active = {
  status: 'ACTIVE',
  held: false,
  unfinishedRuns: 1,
  openQuestions: 0,
  delayedUntil: null,
} as const;

test('[C2] a session asks, waits for a time, works, or does nothing', () => {
  expect(doingOf(active)).toBe('works');
  expect(doingOf({ ...active, openQuestions: 1 })).toBe('asks');
  expect(doingOf({ ...active, delayedUntil: '2030-01-01T00:00:00.000Z' })).toBe('delayed');
  expect(doingOf({ ...active, held: true })).toBe(null);
  expect(doingOf({ ...active, unfinishedRuns: 0, openQuestions: 1 })).toBe(null);
  // Its workspace is not there, so nothing of it runs.
  expect(doingOf({ ...active, status: 'ERROR' })).toBe(null);
  expect(doingOf({ ...active, status: 'PENDING' })).toBe(null);
});
