import { expect, test } from 'vitest';
import { en } from '../texts/en/all.ts';
import { fenced, toMarkdown } from './markdown.ts';

const words = {
  ...en.detail.markdown,
  run: en.common.run,
  status: en.common.status,
  time: (at: string) => at,
  duration: (ms: number) => `${ms} ms`,
};
const id = '019a0000-0000-7000-8000-000000000001';
const runId = '019a0000-0000-7000-8000-000000000002';
const at = '2026-11-16T10:00:00.000Z';

const session = {
  id,
  name: 'fix-login',
  description: 'Sign-in fails on Safari',
  status: 'ACTIVE',
  statusReason: 'ready',
  error: null,
  tags: [],
  labels: [],
  ownerId: 'admin',
  level: 'own',
  agent: { kind: 'claude', model: 'some-model' },
  workspace: { provider: 'directory', path: '/srv/app' },
  isolation: 'auto',
  templateConfig: null,
  idleTimeoutSeconds: 1800,
  budgetUsd: null,
  holdOnFailure: true,
  held: false,
  host: null,
  hostName: null,
  hostAway: false,
  delayedUntil: null,
  activeConnections: 0,
  unfinishedRuns: 0,
  openQuestions: 0,
  lastSeq: 9,
  destroyAt: null,
  lastActiveAt: at,
  lastOutputAt: at,
  lastResponse: null,
  costUsd: 0.25,
  forkedFrom: null,
  archivedAt: null,
  createdAt: at,
  updatedAt: at,
};
const run = {
  id: runId,
  sessionId: id,
  type: 'agent',
  state: 'failed',
  status: 'failed',
  message: 'Fix it.\nNow.',
  channel: 'web',
  sender: 'admin',
  attachments: [],
  attempts: 1,
  maxAttempts: 3,
  crashes: 0,
  retryOf: null,
  createdAt: at,
  startedAt: at,
  finishedAt: '2026-11-16T10:00:02.000Z',
  runAt: null,
  nextRunAt: null,
  cancelRequestedAt: null,
  error: { class: 'timeout', message: 'It took too long.' },
  costUsd: 0.25,
  result: null,
};
let seq = 0;
const event = (type: string, payload: object = {}) => ({
  event: { seq: ++seq, sessionId: id, runId, attempt: 1, type, payload, at },
});
const ndjson = (...lines: object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

test('[C2] an export shows messages, answers and tool calls in order', () => {
  const text = toMarkdown(
    ndjson(
      { session },
      { run },
      event('run.queued', { type: 'agent' }),
      event('run.start'),
      event('agent.thinking', { text: 'Hm.' }),
      event('agent.tool_use', { id: '1', tool: 'Bash', input: { command: 'ls -l' } }),
      event('agent.tool_result', { id: '1', ok: false, text: 'no `such` file\n' }),
      event('agent.delta', { text: 'I ' }),
      event('agent.message', { text: 'I have **fixed** it.' }),
      event('run.finished', { state: 'failed', error: run.error }),
      event('done', { state: 'failed' }),
    ),
    words,
  );
  const order = [
    '# fix-login',
    'Sign-in fails on Safari',
    '> Fix it.\n> Now.',
    '> *Thinking*\n>\n> Hm.',
    '**Bash**\n\n```\nls -l\n```',
    '*failed*\n\n```\nno `such` file\n```',
    'I have **fixed** it.',
    '*Failed · 2000 ms · $0.25 · It took too long.*',
  ].map((part) => text.indexOf(part));
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(text.match(/I /g)).toHaveLength(1);
});

test('[C2] a run that started twice shows its message once', () => {
  const text = toMarkdown(
    ndjson({ session }, { run }, event('run.start'), event('run.restarted'), event('run.start')),
    words,
  );
  expect(text.match(/> Fix it\./g)).toHaveLength(1);
});

test('[C2] a session without runs says so, and fences are longer than any inside', () => {
  expect(toMarkdown(ndjson({ session }), words)).toContain(words.noRuns);
  expect(fenced('a\n````\nb')).toBe('`````\na\n````\nb\n`````');
});
