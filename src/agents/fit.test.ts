import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLength, type Json } from '../contract/values/json.ts';
import { fitBeginning, fitJson } from './fit.ts';

const bytes = (value: Json): number => byteLength(JSON.stringify(value));
const text = fc.string({ unit: 'grapheme', maxLength: 300 });

test('[E5] a text that fits stays as it is', () => {
  expect(fitBeginning('日本語 "text"\n', 100)).toEqual({
    value: '日本語 "text"\n',
    truncated: false,
  });
});

test('[E5] a long one is cut at its end, between characters, and marked', () => {
  const { value, truncated } = fitBeginning('😀'.repeat(100), 41);
  expect([value, truncated]).toEqual(['😀'.repeat(9), true]);
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 400 }), (given, limit) => {
      const fitted = fitBeginning(given, limit);
      expect(bytes(fitted.value)).toBeLessThanOrEqual(limit);
      expect(fitted.value.isWellFormed()).toBe(true);
      expect(given.startsWith(fitted.value)).toBe(true);
      expect(fitted.truncated).toBe(fitted.value !== given);
    }),
  );
});

test('what a database refuses is replaced', () => {
  expect(fitBeginning('a\0b\ud800c').value).toBe('a\uFFFDb\uFFFDc');
  expect(fitJson({ 'k\0': ['\udc00'] }).value).toEqual({ 'k\uFFFD': ['\uFFFD'] });
});

test('[E5] of a long input the long texts are cut', () => {
  const content = 'x'.repeat(300_000);
  const { value, truncated } = fitJson({ file_path: '/a', content });
  expect(truncated).toBe(true);
  expect(value).toMatchObject({ file_path: '/a', content: expect.stringMatching(/^x+$/) });
  expect(bytes(value)).toBeLessThanOrEqual(200 * 1024);
});

test('[E5] an input of very many parts becomes a text', () => {
  const { value, truncated } = fitJson(Array.from({ length: 200_000 }, (_, n) => n));
  expect([typeof value, truncated]).toEqual(['string', true]);
  expect(bytes(value)).toBeLessThanOrEqual(200 * 1024);
});
