import { expect, test } from 'vitest';
import { EVERYTHING_STOPPED } from '../../../src/contract/limits.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import { noteOf } from '../../texts/event-notes.ts';
import { blocksOf } from './build-blocks.ts';
import { rowOfEvent, rowsOf } from './rows.ts';

type Given = readonly [type: string, payload?: Json, runId?: string | null, attempt?: number];

/** One event per second. */
const log = (...given: readonly Given[]): SessionEvent[] =>
  given.map(([type, payload = {}, runId = 'r', attempt = 1], i) => ({
    seq: i + 1,
    sessionId: 's',
    runId,
    attempt: runId === null ? null : attempt,
    type,
    payload,
    at: new Date(i * 1000).toISOString(),
  }));
const kinds = (...given: readonly Given[]) =>
  blocksOf(log(...given)).blocks.map(({ kind }) => kind);
const use = (id: string, tool: string): Given => ['agent.tool_use', { id, tool, input: {} }];
const result = (id: string, ok = true): Given => ['agent.tool_result', { id, ok, text: 'out' }];
const begin: readonly Given[] = [
  ['run.queued', { type: 'agent' }],
  ['run.dequeued'],
  ['run.start'],
];
const end: Given = ['run.finished', { state: 'succeeded', error: null }];

test('[C2] a run shows its message, the answer, and its end with time and cost', () => {
  const { blocks, current } = blocksOf(
    log(
      ...begin,
      ['agent.delta', { text: 'Hel' }],
      ['agent.delta', { text: 'lo' }],
      ['agent.message', { text: 'Hello' }],
      ['agent.usage', { costUsd: 0.25 }],
      ['agent.usage', { costUsd: 0.5 }],
      end,
      ['done', { state: 'succeeded' }],
    ),
  );
  expect(blocks).toMatchObject([
    { kind: 'start', seq: 2, runId: 'r' },
    { kind: 'text', seq: 4, text: 'Hello', live: false },
    { kind: 'end', state: 'succeeded', error: null, durationMs: 7000, costUsd: 0.75 },
  ]);
  expect(current).toBeNull();
});

test('[E4] text grows in one block while it is live', () => {
  const { blocks, current } = blocksOf(
    log(
      ...begin,
      ['agent.delta', { text: 'a' }],
      ['agent.notice', { text: 'n' }],
      ['agent.delta', { text: 'b' }],
    ),
  );
  expect(blocks.map(({ kind }) => kind)).toEqual(['start', 'text', 'notice']);
  expect(blocks[1]).toMatchObject({ text: 'ab', live: true });
  expect(current).toEqual({ runId: 'r', state: 'running' });
});

test('[C2] a call is shown with its question, the answer and its result', () => {
  const request = {
    approvalId: 'p',
    callId: 'c',
    tool: 'Bash',
    input: {},
    kind: 'tool',
    reason: '',
  };
  const question: Given = ['approval.requested', request];
  const open = blocksOf(log(...begin, use('c', 'Bash'), question, ['run.waiting']));
  expect(open.blocks[1]).toMatchObject({ asking: { id: 'p', state: 'pending' }, result: null });
  expect(open.current?.state).toBe('waiting');
  const decided = {
    approvalId: 'p',
    callId: 'c',
    decision: 'allow',
    scope: 'session',
    by: 'admin',
  };
  const done = blocksOf(
    log(...begin, use('c', 'Bash'), question, ['approval.decided', decided], result('c')),
  );
  expect(done.blocks).toHaveLength(2);
  expect(done.blocks[1]).toMatchObject({
    asking: { state: 'allowed', forSession: true, by: 'admin' },
    result: { ok: true, text: 'out' },
  });
});

test('[P3] a call that the rules deny shows the reason', () => {
  const refusal = { callId: 'c', tool: 'Bash', input: {}, reason: 'Not here.' };
  const { blocks } = blocksOf(log(...begin, use('c', 'Bash'), ['policy.denied', refusal]));
  expect(blocks[1]).toMatchObject({ refused: 'Not here.' });
});

test('[Q7] [Q14] an interrupted attempt leaves its calls and text as they were', () => {
  const { blocks } = blocksOf(
    log(
      ...begin,
      ['agent.delta', { text: 'half' }],
      use('c', 'Bash'),
      ['run.restarted', { crashes: 1 }],
      ['run.dequeued'],
      ['agent.delta', { text: 'whole' }],
    ),
  );
  expect(blocks.map(({ kind }) => kind)).toEqual(['start', 'text', 'tool', 'cutOff', 'text']);
  expect(blocks[1]).toMatchObject({ text: 'half', live: false });
  expect(blocks[2]).toMatchObject({ cut: true });
  expect(blocks[4]).toMatchObject({ text: 'whole', live: true });
});

test('[Q14] a retry shows its time, and is over when the next attempt starts', () => {
  const error = { class: 'overloaded', message: 'Busy.' };
  const retry: Given = ['run.retry_scheduled', { error, nextRunAt: 99, delayMs: 1 }];
  const waiting = blocksOf(log(...begin, retry));
  expect(waiting.blocks[1]).toMatchObject({ kind: 'retry', until: 99, error, over: false });
  expect(waiting.current?.state).toBe('delayed');
  const next = blocksOf(log(...begin, retry, ['run.dequeued', {}, 'r', 2])).blocks;
  expect(next[1]).toMatchObject({ over: true });
  expect(next[2]).toMatchObject({ kind: 'attempt', attempt: 2 });
});

test('[Q12] a held queue and a failure offer actions until something else happens', () => {
  const failed: Given = [
    'run.finished',
    { state: 'failed', error: { class: 'unknown', message: '' } },
  ];
  const held: Given = ['session.held', { reason: 'failed' }, null];
  const now = blocksOf(log(...begin, failed, held)).blocks;
  expect(now.slice(-2)).toMatchObject([
    { kind: 'end', over: false },
    { kind: 'held', over: false },
  ]);
  const then = blocksOf(
    log(...begin, failed, held, ['session.resumed', {}, null], ['run.dequeued', {}, 'q']),
  ).blocks;
  expect(then.slice(1, 3)).toMatchObject([{ over: true }, { over: true }]);
});

test('[Q12] a run removed from the queue before it started is one line', () => {
  expect(kinds(['run.queued'], ['run.finished', { state: 'cancelled', error: null }])).toEqual([
    'dropped',
  ]);
});

test('a log that starts in the middle of a run shows it as running', () => {
  const { current } = blocksOf(log(['agent.delta', { text: 'x' }]));
  expect(current).toEqual({ runId: 'r', state: 'running' });
  const { blocks } = blocksOf(log(['agent.delta', { text: 'x' }], end));
  expect(blocks.at(-1)).toMatchObject({ kind: 'end', durationMs: null, costUsd: null });
});

test('[S8] important statuses are shown', () => {
  const status = (to: string, reason: string): Given => [
    'session.status',
    { from: 'ACTIVE', to, reason },
    null,
  ];
  expect(kinds(status('IDLE', 'quiet'), status('ACTIVE', 'message'))).toEqual([]);
  const { blocks } = blocksOf(log(status('ERROR', 'failed'), status('ACTIVE', 'ready')));
  expect(blocks).toMatchObject([{ kind: 'status', to: 'ERROR', over: true }]);
});

test('[C2] many reads fold into one line; failed and waiting ones do not', () => {
  const read = (id: string): Given[] => [use(id, 'Read'), result(id)];
  const { blocks } = blocksOf(
    log(...begin, ...read('a'), ...read('b'), ...read('c'), use('d', 'Read'), result('d', false)),
  );
  const rows = rowsOf(blocks);
  expect(rows.map(({ kind }) => kind)).toEqual(['start', 'fold', 'tool']);
  expect(rows[1]).toMatchObject({ seq: 4, tools: [{}, {}, {}] });
  // A permalink to a call inside the fold leads to the fold.
  expect(rowOfEvent(rows, 7)).toBe(1);
  expect(rowOfEvent(rows, 10)).toBe(2);
  expect(rowsOf(blocksOf(log(...begin, ...read('a'), ...read('b'))).blocks)).toHaveLength(3);
});

test('[C2] ten thousand events are turned into blocks quickly', () => {
  const many = Array.from({ length: 1000 }, (_, i) => [
    ...begin,
    use(`${i}a`, 'Read'),
    result(`${i}a`),
    use(`${i}b`, 'Bash'),
    result(`${i}b`),
    ['agent.delta', { text: 'x' }] as Given,
    ['agent.message', { text: 'x' }] as Given,
    end,
  ]).flat();
  const events = log(...many).map((event, i) => ({ ...event, runId: `r${Math.floor(i / 10)}` }));
  expect(events).toHaveLength(10_000);
  expect(rowsOf(blocksOf(events).blocks)).toHaveLength(5000);
});

test('[Q11] a follow-up that the agent did not take is shown once, as the run it becomes', () => {
  const steered: Given = ['run.steered', { steerId: 'r2', text: 'and this', channel: 'web' }];
  const given = [...begin, steered, end];
  const rows = (...more: readonly Given[]) =>
    rowsOf(blocksOf(log(...given, ...more)).blocks).map(({ kind }) => kind);
  expect(rows()).toEqual(['start', 'steered', 'end']);
  expect(rows(['run.queued', { type: 'agent' }, 'r2'])).toEqual(['start', 'end']);
  expect(rows(['run.dequeued', {}, 'r2'])).toEqual(['start', 'end', 'start']);
});

test('[A7] a call whose agent was stopped to wait for the answer still shows the question', () => {
  const given: readonly Given[] = [
    ...begin,
    use('c', 'Bash'),
    ['approval.requested', { approvalId: 'a', callId: 'c', tool: 'Bash', input: {} }],
    result('c', false),
  ];
  const tool = (...more: readonly Given[]) =>
    blocksOf(log(...given, ...more)).blocks.find(({ kind }) => kind === 'tool');
  expect(tool()).toMatchObject({ result: null, asking: { state: 'pending' } });
  const decided: Given = ['approval.decided', { approvalId: 'a', decision: 'allow' }];
  expect(tool(decided)).toMatchObject({ result: null, cut: true });
  expect(tool(decided, result('c'))).toMatchObject({ result: { ok: true }, cut: false });
});

test('[Q9] [C2] a run that was handed back shows why: a restart, or everything was stopped', () => {
  const cutOff = (reason: string) =>
    blocksOf(log(...begin, ['run.handed_back', { reason }])).blocks.at(-1);
  expect(cutOff('its worker is stopping')).toMatchObject({ kind: 'cutOff', why: 'handed_back' });
  expect(cutOff(EVERYTHING_STOPPED)).toMatchObject({ kind: 'cutOff', why: 'stopped' });
});

test('[C2] an event that needs only a sentence is shown as a note in the chosen language', () => {
  const [created, forked] = blocksOf(
    log(
      ['session.created', { name: 'one' }, null],
      ['session.created', { name: 'two', forkedFrom: 's' }, null],
    ),
  ).blocks.flatMap((block) => (block.kind === 'note' ? [block] : []));
  expect(created).toMatchObject({ id: 'e1', seq: 1, runId: null });
  expect(noteOf(created!.event, 'en')).toBe('Session created');
  expect(noteOf(forked!.event, 'en')).toBe('Forked from another session');
  expect(noteOf(forked!.event, 'ja')).toBe('別のセッションの続き');
});

test('[C2] fields of the wrong kind count as empty', () => {
  const { blocks } = blocksOf(
    log(
      ...begin,
      ['agent.message', { text: 1 }],
      ['agent.tool_use', [] as Json],
      ['run.finished', { state: null, error: 'no' }],
      ['session.created', null, null],
    ),
  );
  expect(blocks).toMatchObject([
    { kind: 'start' },
    { kind: 'text', text: '' },
    { kind: 'tool', tool: '', input: null },
    { kind: 'end', error: null },
    { kind: 'note' },
  ]);
});
