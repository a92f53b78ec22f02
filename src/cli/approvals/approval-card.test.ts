import { expect, test } from 'vitest';
import type { Approval } from '../../contract/approval.ts';
import { coloursFor } from '../output/style.ts';
import { cardOf, summaryOf } from './approval-card.ts';

const approval = (given: Partial<Approval>): Approval => ({
  id: '0199f3a2-0000-7000-8000-000000000001',
  sessionId: '0199f3a2-0000-7000-8000-000000000002',
  level: 'own',
  runId: 'run',
  attempt: 1,
  kind: 'tool',
  tool: 'Bash',
  input: { command: 'npm publish' },
  masked: false,
  reason: 'no rule covers it',
  state: 'pending',
  scope: null,
  sessionRule: null,
  message: null,
  editedInput: null,
  decidedBy: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  decidedAt: null,
  ...given,
});

const none = coloursFor({ isTTY: false }, {});
const some = coloursFor({ isTTY: true }, {});
const card = (given: Partial<Approval>): string => cardOf(approval(given), none).join('\n');

test('[C1] [A7] a command is shown as it would run, with the reason for asking', () => {
  const shown = card({ input: { command: 'make\nmake install' } });
  expect(shown).toContain('The agent wants to use Bash\n');
  expect(shown).toContain('no rule covers it');
  expect(shown).toContain('  $ make\n  $ make install');
  expect(summaryOf(approval({}))).toBe('Bash npm publish');
});

test('[C1] [A7] a file change is shown as removed and added lines', () => {
  const input = { file_path: '/srv/a.ts', old_string: 'one\ntwo', new_string: 'three' };
  const shown = card({ tool: 'Edit', input });
  expect(shown).toContain('  /srv/a.ts\n  - one\n  - two\n  + three');
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: '' },
  ];
  expect(card({ tool: 'MultiEdit', input: { file_path: 'x', edits } })).toContain(
    '  - a\n  + b\n  - c',
  );
  const long = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
  const written = card({ tool: 'Write', input: { file_path: 'x', content: long } });
  expect(written).toContain('  + line 59\n  … 40 more lines (--json)');
  const coloured = cardOf(approval({ tool: 'Edit', input }), some);
  expect(coloured).toContain('\x1b[31m  - one\x1b[39m');
});

test('[C1] [A7] fields of another tool do not replace what a call would change', () => {
  const edits = [{ old_string: 'a', new_string: 'harmless', replace_all: true }];
  const fields = { file_path: 'x', old_string: 'b', new_string: 'harmful' };
  const edited = card({ tool: 'Edit', input: { ...fields, edits } });
  expect(edited).toContain('  - b\n  + harmful\n  edits: [{');
  const written = card({ tool: 'Write', input: { ...fields, content: 'harmful text' } });
  expect(written).toContain('  + harmful text\n  old_string: "b"');
  const several = card({ tool: 'MultiEdit', input: { ...fields, edits } });
  expect(several).toContain('  + harmless\n    replace_all: true\n  old_string: "b"');
  for (const odd of [{ a: 1 }, ['text'], 'text']) {
    const shown = card({ tool: 'MultiEdit', input: { file_path: 'x', edits: odd } });
    expect(shown).toContain(`  edits: ${JSON.stringify(odd)}`);
  }
  const input = { notebook_path: 'real.ipynb', file_path: 'other', new_source: 'x', cell: 3 };
  const notebook = card({ tool: 'NotebookEdit', input });
  expect(notebook).toContain('  real.ipynb\n  + x\n  file_path: "other"\n  cell: 3');
  const missing = card({ tool: 'Edit', input: { file_path: 1, new_string: null } });
  expect(missing).toContain('file_path: 1\n  new_string: null');
});

test('[C1] [A7] questions are shown with their choices, and plans unchanged', () => {
  const options = [{ label: 'Red', description: 'as blood' }, { label: 'Blue' }];
  const input = { questions: [{ question: 'Which colour?', options }] };
  const question = { tool: 'AskUserQuestion', kind: 'question', input } as const;
  expect(card(question)).toContain('  Which colour?\n    - Red: as blood\n    - Blue');
  expect(summaryOf(approval(question))).toBe('Which colour?');
  const plan = {
    tool: 'ExitPlanMode',
    kind: 'plan',
    input: { plan: '1. Think.\n2. Do.' },
  } as const;
  expect(card(plan)).toContain('The agent proposes a plan\n');
  expect(card(plan)).toContain('1. Think.\n2. Do.');
  expect(card({ tool: 'mcp__x__y', input: [1] })).toContain('  [\n    1\n  ]');
});

test('[C1] [A7] an answer is shown with its author and the input that is used instead', () => {
  const shown = card({
    state: 'allowed',
    scope: 'session',
    decidedBy: 'hanako',
    message: 'Go ahead.',
    editedInput: { command: 'npm publish --dry-run' },
  });
  expect(shown).toContain('allowed by hanako, for the session');
  expect(shown).toContain('Go ahead.');
  expect(shown).toContain('changed to:\n  $ npm publish --dry-run');
});

test('[C1] no command can hide from the person who decides, or take over the terminal', () => {
  const command = 'ls \x1b[8mrm x\x1b[0m \r\x1b]0;title\x07\u202etxt.exe\u200b #';
  const shown = card({ input: { command }, tool: 'Bash\x1b[2J' });
  expect(shown).toContain('rm x');
  expect(shown).toContain('\\u{202e}txt.exe\\u{200b}');
  expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
  expect(summaryOf(approval({ input: { command } }))).toContain('\\u{202e}');
});

test('[C1] [A7] no part of a call is swallowed as a control code of the terminal', () => {
  const OF_TERMINAL = [
    ['\x1b]x;', '\x07'],
    ['\x1bP', '\x1b\\'],
    ['\x1b_', '\x1b\\'],
    ['\x9d', '\x9c'],
    ['\x1b[', ' '],
    ['\x9b', ' '],
  ];
  const options = [{ label: 'Red', description: 'as blood' }];
  for (const [begin, end] of OF_TERMINAL) {
    const hidden = `a${begin}8;touch P;${end} y`;
    for (const shown of [
      card({ input: { command: `git fetch ${hidden}` } }),
      card({ tool: 'Write', input: { file_path: '/a', content: hidden } }),
      card({ tool: 'Edit', input: { file_path: '/a', old_string: 'x', new_string: hidden } }),
      card({ tool: 'mcp__box__put', input: { text: hidden } }),
      card({ tool: hidden }),
      card({ reason: hidden }),
      card({ message: hidden }),
      card({ kind: 'plan', input: { plan: hidden } }),
      card({ kind: 'question', input: { questions: [{ question: hidden, options }] } }),
      summaryOf(approval({ kind: 'question', input: { questions: [{ question: hidden }] } })),
      summaryOf(approval({ input: { command: hidden } })),
    ]) {
      expect(shown).toContain('touch P;');
      expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
    }
  }
});

test('[C1] [A7] every field of a call is shown', () => {
  const more = { command: 'ls', description: 'nice', run_in_background: true };
  expect(card({ input: more })).toMatch(/ {2}\$ ls\n {2}run_in_background: true$/);
  const all = { file_path: '/a', old_string: 'a', new_string: 'b', replace_all: true };
  expect(card({ tool: 'Edit', input: all })).toMatch(/ {2}\+ b\n {2}replace_all: true$/);
  const far = card({ tool: 'mcp__box__run', input: { command: 'ls', on: 'production' } });
  expect(far).toContain('"on": "production"');
});

test.each([
  ['Bash', 'Bash(npm publish)', 'Bash(npm publish)\n'],
  ['mcp__box__put', 'mcp__box__put', 'mcp__box__put, with any input\n'],
])('[A7] the card of %s says that the session would allow %s', (tool, sessionRule, said) => {
  expect(card({ tool, sessionRule })).toContain(`later    --session allows ${said}`);
  expect(card({ tool, sessionRule, state: 'allowed' })).not.toContain('later');
  expect(card({ tool, sessionRule: null })).not.toContain('later');
});

test('[P4] the card says that something is hidden', () => {
  expect(card({})).not.toContain('hidden');
  const shown = card({ masked: true, input: { command: 'mysql --password "***MASKED***"' } });
  expect(shown).toContain('Part of this is hidden');
  expect(shown).toContain(`baton approve show ${approval({}).id} --original`);
});
