import { expect, test } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../config/user-error.ts';
import { type Flags, readArguments } from './args.ts';

const flags = {
  json: { help: 'exact JSON' },
  follow: { short: 'f', help: 'go on' },
  after: {
    value: '<seq>',
    schema: z.string().regex(/^\d+$/).transform(Number),
    expected: 'a whole number',
    help: 'from there',
  },
} satisfies Flags;

function refusal(...args: string[]): UserError {
  try {
    readArguments(args, flags);
  } catch (error) {
    if (error instanceof UserError) return error;
  }
  throw new Error('was accepted');
}

test('[C1] flags and words in any order', () => {
  expect(readArguments(['one', '-f', 'two', '--after=3'], flags)).toEqual({
    flags: { json: false, follow: true, after: 3 },
    words: ['one', 'two'],
  });
});

test('[C1] behind -- everything is text', () => {
  expect(readArguments(['--json', '--', '--after', '-x'], flags)).toEqual({
    flags: { json: true, follow: false },
    words: ['--after', '-x'],
  });
});

test.each([
  [['--jsn'], 'Unknown flag: --jsn.', '--json'],
  [['-x'], 'Unknown flag: -x.', '--'],
  [['--toString'], 'Unknown flag: --toString.', '--'],
  [['--after'], '--after has no value.', '--after <seq>'],
  [['--after', 'x'], '--after has an invalid value: "x".', 'correct --after'],
  [['--json=yes'], '--json has a value.', 'alone'],
])('[C1] refuses %j and names it', (args, what, todo) => {
  const { message, exitCode } = refusal(...args);
  expect(message.split('\n')).toHaveLength(3);
  expect(message.split('\n')[0]).toBe(what);
  expect(message.split('\n')[2]).toContain(todo);
  expect(exitCode).toBe(2);
});
