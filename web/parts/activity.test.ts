import { expect, test } from 'vitest';
import { activityOf } from './activity.ts';

const active = {
  status: 'ACTIVE',
  held: false,
  unfinishedRuns: 1,
  openQuestions: 0,
  delayedUntil: null,
} as const;

test('[C2] a session is asking, delayed, working or inactive', () => {
  expect(activityOf(active)).toBe('working');
  expect(activityOf({ ...active, openQuestions: 1 })).toBe('asking');
  expect(activityOf({ ...active, delayedUntil: '2030-01-01T00:00:00.000Z' })).toBe('delayed');
  expect(activityOf({ ...active, held: true })).toBe(null);
  expect(activityOf({ ...active, unfinishedRuns: 0, openQuestions: 1 })).toBe(null);
  // Without a workspace nothing runs.
  expect(activityOf({ ...active, status: 'ERROR' })).toBe(null);
  expect(activityOf({ ...active, status: 'PENDING' })).toBe(null);
});
