import { expect, it } from 'vitest';
import { askedOf, lineOf, visible } from './asked.ts';

const tool = (name: string, input: Parameters<typeof askedOf>[1]) =>
  askedOf({ kind: 'tool', tool: name }, input);

it('[A7] [C2] a call is told as a command, a change, a file or an address', () => {
  expect(tool('Bash', { command: 'ls', description: 'Look' })).toEqual({
    is: 'command',
    command: 'ls',
    about: 'Look',
  });
  expect(tool('Edit', { file_path: '/a', old_string: 'x', new_string: 'y' })).toEqual({
    is: 'change',
    path: '/a',
    changes: [{ before: 'x', after: 'y' }],
  });
  const edits = [{ old_string: 'x', new_string: 'y' }, 'odd'];
  expect(tool('MultiEdit', { file_path: '/a', edits })).toMatchObject({
    changes: [
      { before: 'x', after: 'y' },
      { before: '', after: '' },
    ],
  });
  expect(tool('Write', { file_path: '/a', content: 'c' })).toMatchObject({ is: 'write' });
  expect(tool('NotebookEdit', { notebook_path: '/n', new_source: 'c' })).toEqual({
    is: 'write',
    path: '/n',
    content: 'c',
  });
  expect(tool('WebFetch', { url: 'https://x.example', prompt: 'p' })).toMatchObject({
    is: 'address',
    url: 'https://x.example',
  });
});

it('[A7] questions and plans are known by their kind, whatever their input is', () => {
  const option = { label: 'Red', description: 'Warm' };
  const questions = [
    { question: 'Which?', header: 'Colour', multiSelect: true, options: [option] },
  ];
  expect(askedOf({ kind: 'question', tool: 'AskUserQuestion' }, { questions })).toEqual({
    is: 'questions',
    questions: [
      {
        question: 'Which?',
        header: 'Colour',
        many: true,
        options: [{ label: 'Red', about: 'Warm' }],
      },
    ],
  });
  expect(askedOf({ kind: 'plan', tool: 'ExitPlanMode' }, { plan: '# Do' })).toEqual({
    is: 'plan',
    plan: '# Do',
  });
});

it('[A7] what is not known, or not of the shape it should have, is shown field by field', () => {
  expect(tool('mcp__box__put', { a: 1 })).toEqual({ is: 'other', fields: { a: 1 } });
  expect(tool('Bash', { command: 7 })).toEqual({ is: 'other', fields: { command: 7 } });
  expect(tool('Bash', 'odd')).toEqual({ is: 'other', fields: {} });
  expect(lineOf(tool('mcp__box__put', { a: 1 }), 'mcp__box__put')).toBe('mcp__box__put {"a":1}');
});

it('[A7] characters that hide or turn round a part of a command are written out', () => {
  expect(visible('rm \u202e a\u200b\u0007\r')).toBe('rm \\u{202e} a\\u{200b}\\u{0007}\\u{000d}');
  expect(visible('a\n\tb 日本語')).toBe('a\n\tb 日本語');
});
