import { expect, test } from 'vitest';
import type { RunView } from '../../src/contract/run-view.ts';
import { moved } from './queue-order.ts';

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
