import { expect, test } from 'vitest';
import { Buckets } from './buckets.ts';

const rig = (perMinute: number, max?: number) => {
  const clock = { now: 0 };
  return { clock, buckets: new Buckets(perMinute, () => clock.now, max) };
};

test('[H9] what other nodes took becomes a debt of at most five minutes', () => {
  const { clock, buckets } = rig(60);
  buckets.takeForOthers('a', 1_000_000);
  expect(buckets.take('a')).toBe(301_000);
  clock.now += 300_999;
  expect(buckets.take('a')).toBeCloseTo(1);
  clock.now += 1;
  expect(buckets.take('a')).toBe(0);
});

test('[H9] usage is reported until the bucket is full again and others have seen it', () => {
  const { clock, buckets } = rig(60);
  for (const key of ['a', 'b', 'b']) buckets.take(key);
  buckets.takeForOthers('c', 5);
  expect(buckets.used(10)).toEqual([
    { key: 'a', value: 1 },
    { key: 'b', value: 2 },
  ]);
  expect(buckets.used(1)).toEqual([{ key: 'b', value: 2 }]);
  clock.now += 9999;
  buckets.take('b');
  expect(buckets.used(10)).toEqual([
    { key: 'a', value: 1 },
    { key: 'b', value: 3 },
  ]);
  clock.now += 1;
  expect(buckets.used(10)).toEqual([{ key: 'b', value: 3 }]);
  buckets.take('a');
  expect(buckets.used(10)).toContainEqual({ key: 'a', value: 1 });
});

test('[H9] the number of keys is bounded, and full buckets are dropped', () => {
  const { clock, buckets } = rig(60, 3);
  for (const key of ['a', 'b', 'c', 'a', 'd']) buckets.take(key);
  expect(buckets.used(10).map(({ key }) => key)).toEqual(['c', 'a', 'd']);
  for (let i = 0; i < 1000; i++) buckets.take(`${i}`);
  expect(buckets.size).toBe(3);
  clock.now += 60_000;
  buckets.used(10);
  expect(buckets.size).toBe(0);
});
