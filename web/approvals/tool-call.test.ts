import { expect, it } from 'vitest';
import { askedOf, lineOf, masksIn } from './tool-call.ts';

const tool = (name: string, input: Parameters<typeof askedOf>[1]) =>
  askedOf({ kind: 'tool', tool: name }, input);

it('[A7] [C2] a call is told as a command, a change, a file or an address', () => {
  expect(tool('Bash', { command: 'ls', description: 'Look' })).toEqual({
    is: 'command',
    command: 'ls',
    about: 'Look',
    fields: {},
  });
  expect(tool('Edit', { file_path: '/a', old_string: 'x', new_string: 'y' })).toEqual({
    is: 'change',
    path: '/a',
    changes: [{ before: 'x', after: 'y' }],
    fields: {},
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
    is: 'change',
    path: '/n',
    changes: [{ before: '', after: 'c' }],
    fields: {},
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
    fields: {},
  });
  expect(askedOf({ kind: 'plan', tool: 'ExitPlanMode' }, { plan: '# Do' })).toEqual({
    is: 'plan',
    plan: '# Do',
    fields: {},
  });
});

it('[A7] what is not known, or not of the shape it should have, is shown field by field', () => {
  expect(tool('mcp__box__put', { a: 1 })).toEqual({ is: 'other', fields: { a: 1 } });
  expect(tool('Bash', { command: 7 })).toEqual({ is: 'other', fields: { command: 7 } });
  expect(tool('Bash', 'odd')).toEqual({ is: 'other', fields: { input: 'odd' } });
  expect(lineOf(tool('mcp__box__put', { a: 1 }), 'mcp__box__put')).toBe('mcp__box__put {"a":1}');
});

it('[A7] nothing that is decided about is left out', () => {
  const rest = (name: string, input: Parameters<typeof askedOf>[1]) => tool(name, input).fields;
  expect(
    rest('Bash', {
      command: 'ls',
      description: 'Look',
      run_in_background: true,
      dangerouslyDisableSandbox: true,
    }),
  ).toEqual({ run_in_background: true, dangerouslyDisableSandbox: true });
  const edit = { old_string: 'x', new_string: 'y', replace_all: true };
  expect(rest('Edit', { file_path: '/a', ...edit })).toEqual({ replace_all: true });
  expect(rest('MultiEdit', { file_path: '/a', edits: [edit, 'odd'] })).toEqual({
    'edits.0.replace_all': true,
    'edits.1': 'odd',
  });
  expect(rest('MultiEdit', { file_path: '/a', edits: 'odd' })).toEqual({ edits: 'odd' });
  const cell = { cell_id: 'c1', edit_mode: 'delete' };
  expect(rest('NotebookEdit', { notebook_path: '/n', new_source: '', ...cell })).toEqual(cell);
  expect(rest('WebFetch', { url: 'https://x.example', prompt: 'p' })).toEqual({ prompt: 'p' });
  // What is not of the shape it should have cannot be told in its place.
  expect(rest('Write', { file_path: '/a', content: ['c'] })).toEqual({ content: ['c'] });
  const plan = { plan: '# Do', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }] };
  expect(askedOf({ kind: 'plan', tool: 'ExitPlanMode' }, plan).fields).toEqual({
    allowedPrompts: plan.allowedPrompts,
  });
});

it('[A7] [P4] masks in what is shown are found, wherever they are', () => {
  expect(masksIn({ command: 'DB_PASSWORD="***MASKED***" npm test' })).toEqual(['***MASKED***']);
  expect(masksIn({ edits: [{ '***GITHUB_TOKEN***': ['***MASKED*** ***MASKED***'] }] })).toEqual([
    '***GITHUB_TOKEN***',
    '***MASKED***',
  ]);
  expect(masksIn({ command: 'echo "*** a ***" ***' })).toEqual([]);
});
