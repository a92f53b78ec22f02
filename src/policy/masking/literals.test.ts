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
