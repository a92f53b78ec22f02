import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Gather } from './batch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('[C2] what comes together is told as one, at once when it was quiet', () => {
  const told: (readonly string[])[] = [];
  const gather = new Gather<string>(250, 8000, (all) => told.push(all));
  for (const one of ['a', 'b', 'a']) gather.note(one);
  vi.advanceTimersByTime(250);
  expect(told).toEqual([['a', 'b']]);
  vi.advanceTimersByTime(60_000);
  gather.note('c');
  vi.advanceTimersByTime(250);
  expect(told.at(-1)).toEqual(['c']);
});

it('[C2] what never ends is told less than ten times a minute', () => {
  let told = 0;
  const gather = new Gather<number>(250, 8000, () => told++);
  for (let ms = 0; ms < 10 * 60_000; ms += 50) {
    gather.note(ms % 20);
    vi.advanceTimersByTime(50);
  }
  expect(told).toBeGreaterThan(50);
  expect(told).toBeLessThan(100);
});
