import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.ts';

test('[P1] [H9] a host that is too long is not parsed, however it is written', () => {
  const long = String.fromCodePoint(...Array.from({ length: 300 }, (_, i) => 0x4e00 + i));
  const before = ['https://', ' https:', 'https:\t//', 'ht\ntps:/\\', '\u0001https://a:b@'];
  for (const start of before) {
    expect(parseUrl(`${start}${long}/`)).toBeNull();
    expect(parseUrl(`${start}例え.example/`)?.hostname).toBe('xn--r8jz45g.example');
  }
  expect(parseUrl('not a url')).toBeNull();
  expect(parseUrl(`https://host/${long.repeat(9)}`)?.hostname).toBe('host');
});
