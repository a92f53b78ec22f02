import { expect, test } from 'vitest';
import { decoded, safeAddress, tokensOf } from './markdown-text.ts';

test('entities are what they stand for, once', () => {
  expect(decoded('a &lt; b &amp;&amp; c &#39;x&#x27; &unknown; &')).toBe(
    "a < b && c 'x' &unknown; &",
  );
  expect(decoded('&amp;lt;')).toBe('&lt;');
  expect(decoded('&#0; &#x110000;')).toBe('&#0; &#x110000;');
});

test('[X4] links lead to pages and mail only', () => {
  expect(safeAddress('https://example.org/?a=1&amp;b=2')).toBe('https://example.org/?a=1&b=2');
  for (const no of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//example.org',
    './README.md',
  ]) {
    expect(safeAddress(no)).toBeNull();
  }
});

test('[C2] what is nested without measure is no reason to show nothing', () => {
  expect(tokensOf('- a\n  - b')?.map(({ type }) => type)).toEqual(['list']);
  const deepList = Array.from({ length: 2000 }, (_, i) => `${' '.repeat(2 * i)}- x`).join('\n');
  for (const deep of [`${'- '.repeat(20_000)}x`, `${'>'.repeat(9000)}x`, deepList])
    expect(tokensOf(deep)).toBeNull();
  // A line of code may begin far to the right, and a rule be long.
  for (const fine of [`${' '.repeat(300)}x`, '-'.repeat(300), '*'.repeat(300)]) {
    expect(tokensOf(fine)).not.toBeNull();
  }
});
