import { expect, test } from 'vitest';
import type { RunView } from '../../../src/contract/run-view.ts';
import { laterOf, moved } from './queue-order.ts';

const runs = ['a', 'b', 'c'].map((id) => ({ id }) as RunView);
const ids = (from: number, to: number) => {
  const { runs: next, before } = moved(runs, from, to);
  return [next.map(({ id }) => id).join(''), before];
};

test('[Q12] a queued run is moved up, down and to the ends', () => {
  expect(ids(1, 0)).toEqual(['bac', 'a']);
  expect(ids(0, 1)).toEqual(['bac', 'c']);
  expect(ids(0, 2)).toEqual(['bca', null]);
  expect(ids(2, 0)).toEqual(['cab', 'a']);
  expect(ids(2, 9)).toEqual(['abc', null]);
  expect(ids(0, -1)).toEqual(['abc', 'b']);
});

test('[Q12] if not all are shown, nothing moves behind hidden ones', () => {
  const { runs: next, before } = moved(runs, 0, 2, true);
  expect([next.map(({ id }) => id).join(''), before]).toEqual(['bac', 'c']);
});

test('[Q12] scheduled runs are listed once, in order of their time', () => {
  const run = (id: string, hour: number | null, startedAt: string | null = null): RunView =>
    ({ id, startedAt, runAt: hour === null ? null : `2030-01-01T0${hour}:00:00.000Z` }) as RunView;
  const now = run('now', null);
  const due = run('due', 1);
  const all = [now, due, run('late', 4), run('soon', 3), run('parked', 2, '2029-12-31T00:00:00Z')];
  expect(laterOf(all, [now, due]).map(({ id }) => id)).toEqual(['soon', 'late']);
});
