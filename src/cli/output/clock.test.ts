import { expect, test } from 'vitest';
import { clockAt, sessionNameAt } from './clock.ts';
import { distinctLength } from './listing.ts';

const noon = new Date(2026, 10, 15, 12, 5, 9).getTime();

test('[C1] the time of day, with the date if it is another day', () => {
  const clock = clockAt(noon);
  expect(clock(noon + 1000)).toBe('12:05:10');
  expect(clock(noon - 86_400_000)).toBe('2026-11-14 12:05:09');
});

test('[S9] a session without a name gets a valid one', () => {
  expect(sessionNameAt(noon, () => 0.5)).toBe('run-20261115-120509-8000');
  expect(sessionNameAt(noon, () => 0)).toBe('run-20261115-120509-0000');
});

test('[C1] ids are shortened only as long as they stay distinct', () => {
  expect(distinctLength(['01a1e1b6-6115', '02a1e1b6-6115'])).toBe(8);
  expect(distinctLength(['01a1e1b6-6115', '01a1e1b6-3274', '01a1e1b6-3274'])).toBe(10);
  expect(distinctLength([])).toBe(8);
});
