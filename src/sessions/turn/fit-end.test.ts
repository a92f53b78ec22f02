import { expect, test } from 'vitest';
import { byteLength } from '../../contract/values/json.ts';
import { fitEnd } from './fit-end.ts';

test('[E5] a text that fits is unchanged', () => {
  expect(fitEnd('abc', 100)).toEqual({ text: 'abc', truncated: false });
});

test.each([
  ['plain', 'x'.repeat(10_000)],
  ['characters that JSON writes with six bytes', '\u001b'.repeat(10_000)],
  ['pairs of surrogates', '😀'.repeat(5000)],
  ['Japanese', '日本語'.repeat(3000)],
])('[E5] the end of a long text is kept: %s', (_, text) => {
  const fitted = fitEnd(text, 1000);
  expect(fitted.truncated).toBe(true);
  expect(byteLength(JSON.stringify(fitted.text))).toBeLessThanOrEqual(1000);
  expect(fitted.text.length).toBeGreaterThan(100);
  expect(fitted.text.isWellFormed()).toBe(true);
});
