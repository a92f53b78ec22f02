import { expect, it } from 'vitest';
import { spellOutUnseen, spellOutUnseenInProse } from './spell-out-unseen.ts';

it('[A7] characters that hide or reverse part of a text are shown as code points', () => {
  const text = 'rm \u202e a\u200b\u0007\r';
  expect(spellOutUnseen(text)).toBe('rm \\u{202e} a\\u{200b}\\u{0007}\\u{000d}');
  expect(spellOutUnseenInProse(text)).toBe(spellOutUnseen(text));
  expect(spellOutUnseen('a\n\tb 日本語')).toBe('a\n\tb 日本語');
});

it('[A7] characters without a shape and lookalikes of a space are shown as code points', () => {
  for (const code of [
    0x3164, 0x115f, 0x1160, 0xffa0, 0x2800, 0x034f, 0xfe0f, 0xe0100, 0xe0041, 0xa0, 0x2003,
  ]) {
    const written = `ls\\u{${code.toString(16).padStart(4, '0')}}x`;
    expect(spellOutUnseen(`ls${String.fromCodePoint(code)}x`)).toBe(written);
    expect(spellOutUnseenInProse(`ls${String.fromCodePoint(code)}x`)).toBe(written);
  }
  expect(spellOutUnseen('rm -rf a\u3000b')).toBe('rm -rf a\\u{3000}b');
});

it('[C2] Japanese text and emoji stay as they are', () => {
  const text = '\u3000了解です。 ✔️ 👩‍💻 ☺︎';
  expect(spellOutUnseenInProse(text)).toBe(text);
  // A second joiner has nothing to join.
  expect(spellOutUnseenInProse('✔\ufe0f\ufe0f')).toBe('✔\ufe0f\\u{fe0f}');
});
