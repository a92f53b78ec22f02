import { expect, test } from 'vitest';
import { type Backoff, backoff, withJitter } from './growing-wait.ts';

const waits = (options: Backoff): number[] =>
  Array.from({ length: 5 }, (_, i) => backoff(i + 1, options));

test('waits grow by a factor up to a cap, however many failures there are', () => {
  expect(waits({ firstMs: 100, capMs: 1000 })).toEqual([100, 200, 400, 800, 1000]);
  expect(waits({ firstMs: 100, capMs: 1000, factor: 3 })).toEqual([100, 300, 900, 1000, 1000]);
  expect(backoff(1e6, { firstMs: 100, capMs: 1000 })).toBe(1000);
  expect(backoff(0, { firstMs: 100, capMs: 1000 })).toBe(100);
});

test('jitter only lengthens a wait, by half at most', () => {
  expect([0, 0.5, 1].map((random) => withJitter(200, () => random))).toEqual([200, 250, 300]);
});
