import { expect, it } from 'vitest';
import { lineOf, masksIn, parseToolCall } from './tool-call.ts';

const tool = (name: string, input: Parameters<typeof parseToolCall>[1]) =>
  parseToolCall({ kind: 'tool', tool: name }, input);

it('[A7] [C2] a call is shown as a command, a change, a file or an address', () => {
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

it('[A7] questions and plans are recognised by their kind, whatever their input is', () => {
  const option = { label: 'Red', description: 'Warm' };
  const questions = [
    { question: 'Which?', header: 'Colour', multiSelect: true, options: [option] },
  ];
  expect(parseToolCall({ kind: 'question', tool: 'AskUserQuestion' }, { questions })).toEqual({
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
  expect(parseToolCall({ kind: 'plan', tool: 'ExitPlanMode' }, { plan: '# Do' })).toEqual({
    is: 'plan',
    plan: '# Do',
    fields: {},
  });
});

it('[A7] unknown or malformed calls are shown field by field', () => {
  expect(tool('mcp__box__put', { a: 1 })).toEqual({ is: 'other', fields: { a: 1 } });
  expect(tool('Bash', { command: 7 })).toEqual({ is: 'other', fields: { command: 7 } });
  expect(tool('Bash', 'odd')).toEqual({ is: 'other', fields: { input: 'odd' } });
  expect(lineOf(tool('mcp__box__put', { a: 1 }), 'mcp__box__put')).toBe('mcp__box__put {"a":1}');
});

it('[A7] every field of a call is shown', () => {
  const rest = (name: string, input: Parameters<typeof parseToolCall>[1]) =>
    tool(name, input).fields;
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
  // A field of an unexpected type is listed separately.
  expect(rest('Write', { file_path: '/a', content: ['c'] })).toEqual({ content: ['c'] });
  const plan = { plan: '# Do', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }] };
  expect(parseToolCall({ kind: 'plan', tool: 'ExitPlanMode' }, plan).fields).toEqual({
    allowedPrompts: plan.allowedPrompts,
  });
});

it('[A7] [P4] masks are recognised anywhere in the input', () => {
  expect(masksIn({ command: 'DB_PASSWORD="***MASKED***" npm test' })).toEqual(['***MASKED***']);
  expect(masksIn({ edits: [{ '***GITHUB_TOKEN***': ['***MASKED*** ***MASKED***'] }] })).toEqual([
    '***GITHUB_TOKEN***',
    '***MASKED***',
  ]);
  expect(masksIn({ command: 'echo "*** a ***" ***' })).toEqual([]);
});
