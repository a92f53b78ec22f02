import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SessionName } from '../../src/contract/session.ts';
import { nameFrom, numbered } from './name.ts';

it('[S9] a session is called by the beginning of its message', () => {
  expect(nameFrom('Fix the login: it fails on Safari!')).toBe('Fix the login it fails on Safari');
  expect(nameFrom('ログインを直して。Safariで失敗します')).toBe(
    'ログインを直して Safariで失敗します',
  );
  expect(nameFrom('echo "hello" && ls -la')).toBe('echo hello ls -la');
  expect(nameFrom(`${'word '.repeat(30)}`)).toHaveLength(49);
  expect(nameFrom('x'.repeat(80))).toBe('x'.repeat(50));
  expect(nameFrom('ls')).toBeNull();
  expect(nameFrom('¿?! 😀')).toBeNull();
});

it('[S9] whatever the message, the name is one or there is none; with a number it stays one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 200 }), (message, n) => {
      const name = nameFrom(message);
      if (name === null) return;
      expect(SessionName.parse(name)).toBe(name);
      expect(SessionName.safeParse(numbered(name, n)).success).toBe(true);
    }),
  );
  expect(numbered('y'.repeat(50), 12)).toBe(`${'y'.repeat(47)} 12`);
});
