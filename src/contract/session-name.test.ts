import { expect, test } from 'vitest';
import { CreateSession, SessionName, Tag } from './session.ts';

const refusedAs = (name: string): string | undefined =>
  SessionName.safeParse(name).error?.issues[0]?.message;

test('[S9] a name may use any script and any printable character', () => {
  for (const name of [
    'x',
    'Fix #12',
    'v2.0',
    'Überprüfung',
    'Проверка',
    '한국어',
    'ログイン修正',
    'إصلاح تسجيل الدخول',
    'ทดสอบ',
    'می‌خواهم',
    'क्‍ष',
    '葛󠄀城市',
    '👩‍💻 fix & ship it! 100%',
    'a/b\\c "d" <e>',
    '01890000-0000-7000-8000-000000000000',
  ]) {
    expect(SessionName.parse(name)).toBe(name.normalize('NFC'));
  }
  expect(SessionName.parse('\u3000 Fix #12 \u00a0')).toBe('Fix #12');
  expect(SessionName.parse('U\u0308berpru\u0308fung')).toBe('Überprüfung');
});

test('[S9] a name has 1 to 80 characters, however many code units each takes', () => {
  for (const sign of ['x', 'あ', '👍', '𠮷']) {
    expect(SessionName.safeParse(sign.repeat(80)).success).toBe(true);
    expect(refusedAs(sign.repeat(81))).toBe('a name can have at most 80 characters');
  }
  // Once composed, it is 80 characters.
  expect(SessionName.safeParse('u\u0308'.repeat(80)).success).toBe(true);
  expect(refusedAs('')).toBe('a name must not be empty');
  expect(refusedAs(' \u3000 ')).toBe('a name must not be empty');
});

test('[S9] unprintable characters are refused', () => {
  for (const name of [
    'a\u0000b',
    'two\nlines',
    'two\u2028lines',
    'a\u001b[31mred',
    'a\u0085b',
    'safe\u202Etxt.exe',
    'a\u2066b\u2069',
    'a\u200eb',
    'a\u200bb',
    'a\ufeffb',
    '\u200b\u2060',
    '\u200d',
    '\ufe0f',
    '\u3164',
    '\u2800',
    '\u0301',
    'half \ud83d',
    'own \ue000',
    'hidden \u{e0041}',
  ]) {
    expect(refusedAs(name), JSON.stringify(name)).toMatch(/printable characters only/);
  }
});

test('[S9] tags and descriptions are counted in the same way', () => {
  expect(Tag.parse(' проверка ')).toBe('проверка');
  expect(Tag.safeParse('👍'.repeat(20)).success).toBe(true);
  for (const tag of ['👍'.repeat(21), 'a,b', 'a/b', 'a\u202eb', '']) {
    expect(Tag.safeParse(tag).success).toBe(false);
  }
  const described = (description: string) => CreateSession.safeParse({ name: 'x', description });
  expect(described('👍\n'.repeat(250)).success).toBe(true);
  expect(described('👍'.repeat(501)).success).toBe(false);
});
