import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Batch } from './batch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('[C2] items that arrive together make one batch, delivered promptly after a quiet period', () => {
  const batches: (readonly string[])[] = [];
  const batch = new Batch<string>(250, 8000, (items) => batches.push(items));
  for (const one of ['a', 'b', 'a']) batch.add(one);
  vi.advanceTimersByTime(250);
  expect(batches).toEqual([['a', 'b']]);
  vi.advanceTimersByTime(60_000);
  batch.add('c');
  vi.advanceTimersByTime(250);
  expect(batches.at(-1)).toEqual(['c']);
});

it('[C2] an endless series makes fewer than ten batches a minute', () => {
  let batches = 0;
  const batch = new Batch<number>(250, 8000, () => batches++);
  for (let ms = 0; ms < 10 * 60_000; ms += 50) {
    batch.add(ms % 20);
    vi.advanceTimersByTime(50);
  }
  expect(batches).toBeGreaterThan(50);
  expect(batches).toBeLessThan(100);
});
