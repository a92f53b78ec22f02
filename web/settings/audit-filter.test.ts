import { expect, test } from 'vitest';
import { NO_FILTER, toFilter } from './audit-filter.ts';

test('[P6] an empty form matches everything', () => {
  expect(toFilter(NO_FILTER)).toEqual({});
  expect(toFilter({ ...NO_FILTER, target: '  ', action: 'no.action', userId: 'x' })).toEqual({});
});

test('[P6] both days of a filter are included, in the user’s time zone', () => {
  const { from, to } = toFilter({ ...NO_FILTER, fromDay: '2026-11-15', toDay: '2026-11-16' });
  expect(from).toBe(new Date(2026, 10, 15).toISOString());
  expect(to).toBe(new Date(2026, 10, 17).toISOString());
  expect(
    toFilter({ ...NO_FILTER, action: 'user.create', channel: 'cli', userId: 'admin' }),
  ).toEqual({ action: 'user.create', channel: 'cli', userId: 'admin' });
});
