import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

test('lines come whole, however they are split', () => {
  const lines = fc.array(fc.stringMatching(/^[a-z日]{1,20}$/), { maxLength: 10 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 30 }), (given, size) => {
      const reader = new LineReader();
      const whole = `${given.join('\n')}\nrest`;
      const read: (string | null)[] = [];
      for (let at = 0; at < whole.length; at += size) {
        read.push(...reader.push(whole.slice(at, at + size)));
      }
      expect(read).toEqual(given.filter((line) => line !== ''));
      expect(reader.end()).toBe('rest');
    }),
  );
});

test('a line that is too long is passed over, and only that one', () => {
  const reader = new LineReader(10);
  expect([...reader.push('one\n12345')]).toEqual(['one']);
  expect([...reader.push('67890')]).toEqual([]);
  expect([...reader.push('1234')]).toEqual([]);
  expect([...reader.push('end\n\ntwo\n')]).toEqual([null, 'two']);
  expect(reader.end()).toBe('');
});
