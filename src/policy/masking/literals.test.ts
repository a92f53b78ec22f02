import { describe, expect, test } from 'vitest';
import { SECRETS } from './corpus.ts';
import type { Masker } from './masker.ts';
import { createMasker } from './masking.ts';

const hiding = (...values: string[]): Masker => {
  const masker = createMasker();
  masker.hide(values);
  return masker;
};

/** Masks the text in pieces, once for each length of a piece. */
function inPieces(masker: Masker, text: string): string[] {
  return Array.from({ length: text.length }, (_, i) => {
    const stream = masker.stream();
    let shown = '';
    for (let at = 0; at < text.length; at += i + 1)
      shown += stream.push(text.slice(at, at + i + 1));
    return shown + stream.end();
  });
}

describe('[P4] values that are known', () => {
  const VALUE = 'tr0ub4dor&3 "quoted"/x';

  test('are masked wherever they appear, also in pieces', () => {
    const masker = hiding(VALUE);
    for (const [text, shown] of [
      [VALUE, '***MASKED***'],
      [`aa${VALUE}bb${VALUE}`, 'aa***MASKED***bb***MASKED***'],
      [`password=${VALUE}!`, 'password=***MASKED***!'],
      [`https://x:${VALUE}@host`, 'https://x:***MASKED***@host'],
      [`?a=${encodeURIComponent(VALUE)}&b`, '?a=***MASKED***&b'],
      [JSON.stringify({ a: VALUE }), '{"a":"***MASKED***"}'],
      [`${VALUE.slice(0, -1)}y`, `${VALUE.slice(0, -1)}y`],
      ['tr0ub4dor', 'tr0ub4dor'],
    ] as const) {
      expect(masker.mask(text)).toBe(shown);
      expect(new Set(inPieces(masker, text)), text).toEqual(new Set([shown]));
    }
  });

  test('are masked if they have at least 12 characters', () => {
    const masker = hiding('eleven-char', 'twelve-chars');
    expect(masker.mask('eleven-char twelve-chars')).toBe('eleven-char ***MASKED***');
  });

  test('where one begins in another, or they overlap', () => {
    const masker = hiding(
      'aaaaaaaaaaaab',
      'aabzzzzzzzzzz',
      'common-start',
      'common-start-and-more',
    );
    for (const [text, shown] of [
      ['aaaaaaaaaaaab', '***MASKED***'],
      ['aaaaaaaaaaaabzzzzzzzzzz', '***MASKED***zzzzzzzzzz'],
      ['common-start-and-mor', '***MASKED***-and-mor'],
      ['common-start-and-more', '***MASKED***'],
    ] as const) {
      expect(masker.mask(text)).toBe(shown);
      expect(new Set(inPieces(masker, text)), text).toEqual(new Set([shown]));
    }
  });

  test('are masked line by line, and long lines in parts', () => {
    const long = Array.from({ length: 120 }, (_, i) => `part${i}of it`).join('/');
    const masker = hiding(`first line of it\n\nsecond line of it\n`, long);
    expect(masker.mask('a second line of it, first line of it')).toBe(
      'a ***MASKED***, ***MASKED***',
    );
    expect(masker.mask(`<${long}>`)).toMatch(/^<(?:\*{3}MASKED\*{3})+>$/);
    expect(new Set(inPieces(masker, `<${long.slice(0, 700)}`)).size).toBe(1);
  });

  test.each([
    ['encodeURIComponent', 'pa(ss)!wörd/1 2', 'pa(ss)!w%C3%B6rd%2F1%202'],
    ['RFC 3986', "pa(ss)!'word*1", 'pa%28ss%29%21%27word%2A1'],
    ['RFC 3986 in lower case', 'a/b/c/(d)/ö/1', 'a%2fb%2fc%2f%28d%29%2f%c3%b6%2f1'],
    ["Python's quote", 'pa(ss)/wo rd/1', 'pa%28ss%29/wo%20rd/1'],
    ['a form', 'pa ss~wo(rd)*1', 'pa+ss%7Ewo%28rd%29*1'],
    ["Go's QueryEscape", 'pa ss~wo(rd)*1', 'pa+ss~wo%28rd%29%2A1'],
    ['JSON with escaped slashes', 'slash/"secret"/1', 'slash\\/\\"secret\\"\\/1'],
    ['JSON in ASCII', 'pässwörd😀1234', 'p\\u00e4ssw\\u00f6rd\\ud83d\\ude001234'],
    ['JSON in ASCII, in capitals', 'pässwörd/1234', 'p\\u00E4ssw\\u00F6rd\\/1234'],
    ['JSON that is safe in HTML', 'fish&chips<1234>', 'fish\\u0026chips\\u003c1234\\u003e'],
  ])('are recognised as written by %s', (_, value, written) => {
    const masker = hiding(value);
    expect(new Set(inPieces(masker, `<${written}>`))).toEqual(new Set(['<***MASKED***>']));
  });

  test.each([
    ['contains a backslash and an n', 'hunter2\\name99xx'],
    ['has only short lines', 'short-one\nshort-two\nshort-3'],
  ])('are masked if a value %s', (_, value) => {
    const masker = hiding(value);
    for (const text of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])
      expect(new Set(inPieces(masker, `<${text}>`))).toEqual(new Set(['<***MASKED***>']));
  });

  test('are masked completely in every spelling if they are long', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const value of [
      `${letters.repeat(11)}0123456789abc/x`,
      `(${letters.repeat(11)}`,
      Array.from({ length: 150 }, (_, i) => `/${i}`).join(''),
      Array.from({ length: 80 }, (_, i) => `😀${i}`).join(''),
    ]) {
      const masker = hiding(value);
      const json = JSON.stringify(value).slice(1, -1);
      for (const text of [value, encodeURIComponent(value), json, json.replaceAll('/', '\\/')])
        expect(masker.mask(`<${text}>`)).toMatch(/^<(?:\*{3}MASKED\*{3})+>$/);
    }
  });

  test('are masked line by line where only some lines of a long value appear', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line ${i} of the value`);
    const masker = hiding(lines.join('\n'));
    expect(masker.mask(`<${lines.slice(2, 17).join('\n')}>`)).toBe(
      `<${Array(15).fill('***MASKED***').join('\n')}>`,
    );
  });

  test('keep the mask of their type', () => {
    const { text, masked } = SECRETS[0]!;
    expect(hiding(text).mask(text)).toBe(masked);
  });

  test('may become known later', () => {
    const masker = createMasker();
    expect(masker.mask(VALUE)).toBe(VALUE);
    masker.hide([VALUE]);
    masker.hide(['another value of it']);
    expect(masker.mask(`${VALUE} another value of it`)).toBe('***MASKED*** ***MASKED***');
  });
});
