import { expect, test } from 'vitest';
import { decoded, safeAddress } from './markdown-text.ts';

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
