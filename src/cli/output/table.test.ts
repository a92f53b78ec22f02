import { expect, test } from 'vitest';
import { table } from './table.ts';
import { cutTo, displayWidth } from './width.ts';

test.each([
  ['abc', 3],
  ['日本語', 6],
  ['ｱｲｳ', 3],
  ['ｶﾞｷﾞ', 4],
  ['Ａ（全角）', 10],
  ['é', 1],
  ['e\u0301', 1],
  ['🎉', 2],
  ['👨‍👩‍👧', 2],
  ['한글', 4],
  ['', 0],
])('[C1] the width of %s is %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('[C1] text is truncated between characters, with an ellipsis', () => {
  expect(cutTo('日本語の名前', 7)).toBe('日本語…');
  expect(cutTo('日本語の名前', 6)).toBe('日本…');
  expect(cutTo('short', 5)).toBe('short');
  expect(cutTo('longer', 5)).toBe('long…');
});

const cells = (...texts: string[]) => texts.map((text) => ({ text }));

test('[C1] columns are aligned, with wide characters counted as two', () => {
  const lines = table(
    [cells('NAME', 'STATUS'), cells('修正', 'IDLE'), cells('fix-login', 'ACTIVE')],
    {
      width: 80,
      flexible: [0],
    },
  );
  expect(lines).toEqual(['NAME       STATUS', '修正       IDLE', 'fix-login  ACTIVE']);
});

test('[C1] on a narrow terminal the widest flexible column is truncated', () => {
  const lines = table([cells('a-very-long-name-of-a-session', 'x', 'a description here')], {
    width: 40,
    flexible: [0, 2],
  });
  expect(lines.map(displayWidth)).toEqual([40]);
  expect(lines[0]).toBe('a-very-long-name…  x  a description here');
});

test('[C1] colours do not count', () => {
  const red = (text: string) => `\x1b[31m${text}\x1b[39m`;
  const lines = table([[{ text: 'ab', style: red }, { text: 'c' }], cells('abcd', 'e')], {
    width: 80,
    flexible: [],
  });
  expect(lines).toEqual(['\x1b[31mab\x1b[39m    c', 'abcd  e']);
});
