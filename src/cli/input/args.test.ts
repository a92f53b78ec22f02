import { expect, test } from 'vitest';
import { z } from 'zod';
import { UserError } from '../../config/user-error.ts';
import { type Flags, readArguments } from './args.ts';

const flags = {
  json: { help: 'output JSON' },
  follow: { short: 'f', help: 'keep showing new events' },
  after: {
    value: '<seq>',
    schema: z.string().regex(/^\d+$/).transform(Number),
    expected: 'a whole number',
    help: 'only later events',
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

test('[C1] everything after -- is text', () => {
  expect(readArguments(['--json', '--', '--after', '-x'], flags)).toEqual({
    flags: { json: true, follow: false },
    words: ['--after', '-x'],
  });
});

test.each([
  [['--jsn'], 'Unknown flag: --jsn.', '--json'],
  [['-x'], 'Unknown flag: -x.', '--'],
  [['--toString'], 'Unknown flag: --toString.', '--'],
  [['--after'], '--after needs a value.', '--after <seq>'],
  [['--after', 'x'], '--after has an invalid value: "x".', 'correct --after'],
  [['--json=yes'], '--json does not take a value.', 'without a value'],
])('[C1] refuses %j and names it', (args, what, todo) => {
  const { message, exitCode } = refusal(...args);
  expect(message.split('\n')).toHaveLength(3);
  expect(message.split('\n')[0]).toBe(what);
  expect(message.split('\n')[2]).toContain(todo);
  expect(exitCode).toBe(2);
});
