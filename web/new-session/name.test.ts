import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionName } from '../../src/contract/session.ts';
import { nameFrom, numbered } from './name.ts';

it('[S9] a session is named after the beginning of its message', () => {
  expect(nameFrom('Fix the login: it fails on Safari!')).toBe('Fix the login: it fails on Safari!');
  expect(nameFrom('Überprüfe den Code')).toBe('Überprüfe den Code');
  expect(nameFrom('Проверь\n\tкод')).toBe('Проверь код');
  expect(nameFrom('ログインを直して。Safariで失敗します')).toBe(
    'ログインを直して。Safariで失敗します',
  );
  expect(nameFrom('echo "hello" && ls -la')).toBe('echo "hello" && ls -la');
  expect(nameFrom('ls')).toBe('ls');
  expect(nameFrom('👍'.repeat(100))).toBe('👍'.repeat(80));
  // Cut at a word boundary if there is one.
  expect(nameFrom('word '.repeat(30))).toBe('word '.repeat(16).trim());
  expect(nameFrom('x'.repeat(100))).toBe('x'.repeat(80));
  expect(nameFrom('red \u001b[31mtext\u202e')).toBe('red [31mtext');
  expect(nameFrom('\u200b \u202e')).toBeNull();
});

it('[S9] for any message the name is valid or null; numbering keeps it valid', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary', maxLength: 200, size: 'max' }),
  );
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 200 }), (message, n) => {
      const name = nameFrom(message);
      if (name === null) return;
      expect(SessionName.parse(name)).toBe(name);
      expect(SessionName.safeParse(numbered(name, n)).success).toBe(true);
    }),
  );
  expect(numbered('y'.repeat(80), 12)).toBe(`${'y'.repeat(77)} 12`);
  expect(numbered('👍'.repeat(80), 12)).toBe(`${'👍'.repeat(77)} 12`);
});
