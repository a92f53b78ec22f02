import { expect, test } from 'vitest';
import { relativeTime } from './relative-time.ts';

const now = Date.parse('2026-11-15T10:30:00.000Z');

test.each([
  ['2026-11-15T10:30:00.500Z', 'now'],
  ['2026-11-15T10:29:59.900Z', 'now'],
  ['2026-11-15T10:29:15.000Z', '45s ago'],
  ['2026-11-15T10:27:00.000Z', '3m ago'],
  ['2026-11-15T05:00:00.000Z', '5h ago'],
  ['2026-11-01T10:30:00.000Z', '14d ago'],
  ['2026-11-15T12:31:00.000Z', 'in 2h'],
])('[C1] %s is %s', (time, expected) => {
  expect(relativeTime(time, now)).toBe(expected);
});
