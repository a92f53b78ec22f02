import { expect, test } from 'vitest';
import { sizeOf } from './size.ts';

test('[C2] sizes are shown in readable units', () => {
  const sizes = [0, 70, 1023, 1024, 2400, 10_239, 20 * 1024 ** 2, 5 * 1024 ** 5];
  expect(sizes.map(sizeOf)).toEqual([
    '0 B',
    '70 B',
    '1023 B',
    '1.0 KiB',
    '2.3 KiB',
    '10 KiB',
    '20 MiB',
    '5120 TiB',
  ]);
});
