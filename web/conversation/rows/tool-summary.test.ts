import { expect, test } from 'vitest';
import type { ToolBlock } from '../log/blocks.ts';
import { stateOf, summaryOf, tookMs } from './tool-summary.ts';

test('[C2] a call is one line: verb and target', () => {
  expect(summaryOf('Bash', { command: 'git status\n  git diff' })).toEqual({
    verb: 'run',
    name: 'Bash',
    target: 'git status ⏎ git diff',
  });
  expect(summaryOf('Grep', { pattern: 'x', path: 'src' }).target).toBe('x · src');
  expect(summaryOf('Read', { file_path: '/srv/app/a/b.ts' }, '/srv/app').target).toBe('a/b.ts');
  expect(summaryOf('Read', { file_path: '/worker/b.ts' }, '/work').target).toBe('/worker/b.ts');
  expect(summaryOf('mcp__github__create_issue', { title: 'A bug' })).toEqual({
    verb: null,
    name: 'github: create_issue',
    target: 'A bug',
  });
  // Inputs that a newer agent might send.
  for (const input of [null, 1, [], 'text', { a: { b: 1 } }]) {
    expect(summaryOf('toString', input).verb).toBeNull();
  }
});

test('[X4] hidden and reversing characters of a call are spelled out in its line', () => {
  const command = 'ls\u00a0\n\u202emoc.live\u200b';
  expect(summaryOf('Bash', { command }).target).toBe('ls\\u{00a0} ⏎ \\u{202e}moc.live\\u{200b}');
  expect(summaryOf('mcp__a\u200b__b', 'x\u3000y')).toMatchObject({
    name: 'a\\u{200b}: b',
    target: 'x\\u{3000}y',
  });
  // People separate words like this when they search.
  expect(summaryOf('WebSearch', { query: '東京\u3000天気\u200b' }).target).toBe(
    '東京\u3000天気\\u{200b}',
  );
});

const call = (more: Partial<ToolBlock>): ToolBlock => ({
  kind: 'tool',
  id: 'e1',
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  runId: 'r',
  callId: 'c',
  tool: 'Bash',
  input: {},
  truncated: false,
  parent: null,
  result: null,
  asking: null,
  refused: null,
  cut: false,
  ...more,
});
const asking = { id: 'p', by: null, edited: false, forSession: false, decidedAt: null };
const result = { ok: true, text: '', truncated: false, at: '2026-01-01T00:00:09.000Z' };

test('the state of a call follows from its question and result', () => {
  expect(stateOf(call({}))).toBe('running');
  expect(stateOf(call({ cut: true }))).toBe('cut');
  expect(stateOf(call({ result }))).toBe('ok');
  expect(stateOf(call({ asking: { ...asking, state: 'pending' } }))).toBe('asked');
  expect(stateOf(call({ result, asking: { ...asking, state: 'denied' } }))).toBe('denied');
  expect(stateOf(call({ refused: 'no', result: { ...result, ok: false } }))).toBe('refused');
});

test('the time a call waited for its answer does not count', () => {
  expect(tookMs(call({}))).toBeNull();
  expect(tookMs(call({ result }))).toBe(9000);
  const decided = { ...asking, state: 'allowed', decidedAt: '2026-01-01T00:00:07.000Z' } as const;
  expect(tookMs(call({ result, asking: decided }))).toBe(2000);
});
