import { expect, test } from 'vitest';
import { plainOutput } from './plain-output.ts';

test('colours and cursor movements are removed', () => {
  expect(plainOutput('\u001b[1;32mok\u001b[0m \u001b]0;title\u0007done\u001b[2K')).toBe('ok done');
});

test('an overwritten line shows its last content', () => {
  expect(plainOutput('10 %\r50 %\r100 %\nnext\r\nlast\r')).toBe('100 %\nnext\nlast');
});
