import { expect, test } from 'vitest';
import { momentBefore } from './moment.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const schema = momentBefore(() => NOW);

test.each([
  ['30m', '2026-11-16T11:30:00.000Z'],
  ['12h', '2026-11-16T00:00:00.000Z'],
  ['7d', '2026-11-09T12:00:00.000Z'],
  ['2026-11-01T09:30:00Z', '2026-11-01T09:30:00.000Z'],
  ['2026-11-01T09:30:00+09:00', '2026-11-01T00:30:00.000Z'],
])('[C1] %s is %s', (text, time) => {
  expect(schema.parse(text)).toBe(time);
});

test('[C1] a date means local midnight', () => {
  expect(schema.parse('2026-11-01')).toBe(new Date(2026, 10, 1).toISOString());
});

test.each(['', 'soon', '7', '7w', '1', '2026-13-01', '2026-11-01 or so', '999999999d'])(
  '[C1] %j is not a time',
  (text) => {
    expect(schema.safeParse(text).success).toBe(false);
  },
);
