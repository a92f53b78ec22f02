import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLine, TerminalFilter } from './terminal-filter.ts';

const shown = (...pieces: string[]): string => {
  const filter = new TerminalFilter();
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
};

test.each([
  ['plain text', 'plain text'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['日本語 é 🎉', '日本語 é 🎉'],
  ['\x1b[31mred\x1b[0m', '\x1b[31mred\x1b[0m\x1b[0m'],
  ['\x1b[38;2;1;2;3mtrue\x1b[m', '\x1b[38;2;1;2;3mtrue\x1b[m\x1b[0m'],
  ['dos\r\nlines\r\n', 'dos\nlines\n'],
  ['50%\r100%', '50%\n100%'],
])('[C1] keeps text, colours, line ends and tabs: %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test.each([
  ['a title', 'a\x1b]0;owned\x07b'],
  ['a title that ends with ST', 'a\x1b]2;owned\x1b\\b'],
  ['the clipboard', 'a\x1b]52;c;ZXZpbA==\x07b'],
  ['a title in 8-bit form', 'a\x9d0;owned\x9cb'],
  ['clearing the screen', 'a\x1b[2J\x1b[Hb'],
  ['moving the cursor', 'a\x1b[1;1Hb'],
  ['moving the cursor in 8-bit form', 'a\x9b1;1Hb'],
  ['another screen', 'a\x1b[?1049hb'],
  ['a private sequence that ends like a colour', 'a\x1b[>4;2mb'],
  ['a question to the terminal', 'a\x1b[6nb\x1b[c'],
  ['a reset', 'a\x1bcb'],
  ['a character set', 'a\x1b(0b'],
  ['a device string', 'a\x1bP$qm\x1b\\b'],
  ['an application string', 'a\x1b_G;x\x1b\\b'],
  ['backspaces, bells and other controls', 'a\b\x07\x00\x0e\x0b\x0c\x7f\x85b'],
  ['a cut-off sequence', 'ab\x1b[1;'],
])('[C1] drops %s', (_, text) => {
  expect(shown(text)).toBe('ab');
});

test('[C1] an unterminated string hides only its line', () => {
  expect(shown('a\x1b]0;open\nnext line')).toBe('a\nnext line');
});

test('[C1] an escape inside a sequence begins a new one', () => {
  expect(shown('\x1b[1\x1b[2Jx')).toBe('x');
  expect(shown('\x1b\x1b[2Jx')).toBe('x');
  expect(shown('\x1b]0;t\x1b[2Jx')).toBe('x');
});

const pieces = fc.constantFrom(
  ...[
    '\x1b',
    '[',
    ']',
    'm',
    'H',
    '2',
    ';',
    '?',
    '\x07',
    '\\',
    '\r',
    '\n',
    'a',
    '語',
    '\x9b',
    'P',
    '\x9d',
  ],
);

test('[C1] any text gives the same output in any pieces, and no control codes but colours', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.nat(), (parts, cut) => {
      const text = parts.join('');
      const at = text.length === 0 ? 0 : cut % text.length;
      const out = shown(text);
      expect(shown(text.slice(0, at), text.slice(at))).toBe(out);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those that must be gone
      expect(out.replace(/\x1b\[[\d;:]*m/g, '')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
    { numRuns: 500 },
  );
});

test('a line of a list has neither colours nor line ends', () => {
  expect(plainLine(' \x1b[31mone\x1b[0m\r\n two\x1b]0;x\x07 ')).toBe('one two');
});

test('[P6] [C1] a line of a list reads in one direction, whatever names it contains', () => {
  expect(plainLine('a\u202egnp\u2066.exe\u200f \u05d0')).toBe('agnp.exe \u05d0');
});
