import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countDiff, lineDiff } from './line-diff.ts';

const shown = (before: string, after: string): string[] =>
  lineDiff(before, after).map(
    ({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`,
  );

it('[C2] a removed line comes before the one that replaces it', () => {
  expect(shown('a\nb\nc\n', 'a\nB\nc\n')).toEqual([' a', '-b', '+B', ' c']);
  expect(shown('', 'x\ny')).toEqual(['+x', '+y']);
  expect(shown('x\r\ny', '')).toEqual(['-x', '-y']);
  expect(countDiff(lineDiff('a\nb', 'a\nc\nd'))).toEqual({ added: 2, removed: 1 });
});

it('[C2] both texts can be reconstructed from the diff', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    .map((l) => `${l.join('\n')}\nend`);
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      const side = (not: 'gone' | 'new'): string =>
        lines
          .filter(({ kind }) => kind !== not)
          .map((line) => line.text)
          .join('\n');
      expect(side('new')).toBe(before);
      expect(side('gone')).toBe(after);
    }),
  );
});

it('[C2] two long texts with nothing in common are not compared line by line', () => {
  const many = (word: string): string =>
    Array.from({ length: 5000 }, (_, i) => word + i).join('\n');
  expect(countDiff(lineDiff(many('a'), many('b')))).toEqual({ added: 5000, removed: 5000 });
});
