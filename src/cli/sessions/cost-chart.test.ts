import { expect, test } from 'vitest';
import { barOf, everyDay, shortCount } from './cost-chart.ts';

test('[C1] a bar is proportional, and a positive value always shows something', () => {
  expect(barOf(2, 2)).toBe('█'.repeat(24));
  expect(barOf(1, 2)).toBe('█'.repeat(12));
  expect(barOf(0.000001, 100)).toBe('▏');
  expect(barOf(1, 32)).toBe('▊');
  for (const [value, most] of [
    [0, 1],
    [0, 0],
    [1, Number.NEGATIVE_INFINITY],
  ] as const) {
    expect(barOf(value, most)).toBe('');
  }
});

test.each([
  [0, ''],
  [7, '7'],
  [999, '999'],
  [1000, '1.0k'],
  [9949, '9.9k'],
  [34_499, '34k'],
  [5_600_000, '5.6M'],
  [123_456_789_000, '123G'],
])('[C1] %d tokens are shown as "%s"', (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test('[C1] days without costs are shown between others', () => {
  const line = (key: string, costUsd: number) => ({
    key,
    costUsd,
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    estimatedUsd: 0,
    invocations: 1,
  });
  const days = everyDay([line('2026-02-27', 1), line('2026-03-02', 2)]);
  expect(days.map(({ key, costUsd }) => `${key} ${costUsd}`)).toEqual([
    '2026-02-27 1',
    '2026-02-28 0',
    '2026-03-01 0',
    '2026-03-02 2',
  ]);
  expect(everyDay([])).toEqual([]);
});
