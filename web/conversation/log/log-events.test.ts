import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import { BlockBuilder } from './block-builder.ts';
import { addEvent, blocksOf } from './build-blocks.ts';
import { append } from './log-events.ts';

const AT = '2026-01-01T00:00:00.000Z';
const of = (
  seq: number,
  type: string,
  payload: Json,
  runId: string | null = 'r',
): SessionEvent => ({
  seq,
  sessionId: 's',
  runId,
  attempt: runId === null ? null : 1,
  type,
  payload,
  at: AT,
});

/** Any events in any order: the page must survive the unexpected. */
const anyEvent = fc.oneof(
  fc.record({ type: fc.constant('agent.delta'), payload: fc.record({ text: fc.string() }) }),
  fc.record({ type: fc.constant('agent.message'), payload: fc.record({ text: fc.string() }) }),
  fc.record({
    type: fc.constantFrom(
      'run.queued',
      'run.dequeued',
      'run.start',
      'run.waiting',
      'run.restarted',
      'run.handed_back',
      'session.resumed',
      'done',
    ),
    payload: fc.constant({}),
  }),
  fc.record({
    type: fc.constantFrom('agent.tool_use', 'agent.tool_result'),
    payload: fc.record({
      id: fc.constantFrom('a', 'b'),
      tool: fc.constantFrom('Read', 'Bash'),
      ok: fc.boolean(),
      text: fc.string(),
    }),
  }),
  fc.record({
    type: fc.constantFrom('approval.requested', 'approval.decided', 'approval.withdrawn'),
    payload: fc.record({
      approvalId: fc.constantFrom('p', 'q'),
      callId: fc.constantFrom('a', 'b', 'c'),
      decision: fc.constantFrom('allow', 'deny'),
      scope: fc.constant('once'),
    }),
  }),
  fc.record({
    type: fc.constantFrom('run.finished', 'run.retry_scheduled', 'session.status', 'session.held'),
    payload: fc.oneof(
      fc.constant({ state: 'failed', error: { class: 'timeout', message: 'm' }, nextRunAt: 1 }),
      fc.constant({ from: 'ACTIVE', to: 'ERROR', reason: 'failed' }),
      fc.json().map((text) => JSON.parse(text) as Json),
    ),
  }),
);
const anyLog = fc
  .array(fc.tuple(anyEvent, fc.constantFrom('r1', 'r2')), { maxLength: 60 })
  .map((list) => list.map(([{ type, payload }, run], i) => of(i + 1, type, payload as Json, run)));

test('[E4] adding events one by one gives the same result as all at once, merged or not', () => {
  fc.assert(
    fc.property(anyLog, (events) => {
      const builder = new BlockBuilder();
      const kept: SessionEvent[] = [];
      for (const event of events) {
        addEvent(builder, event);
        append(kept, event);
      }
      const whole = blocksOf(events);
      expect(builder.blocks).toEqual(whole.blocks);
      const again = blocksOf(kept);
      expect(again.blocks).toEqual(whole.blocks);
      expect(again.current).toEqual(whole.current);
    }),
    { numRuns: 500 },
  );
});

test('deltas of one text are merged, and dropped when its message arrives', () => {
  const kept: SessionEvent[] = [];
  for (let i = 1; i <= 100; i++) append(kept, of(i, 'agent.delta', { text: 'x' }));
  expect(kept).toHaveLength(1);
  append(kept, of(101, 'agent.message', { text: 'x'.repeat(100) }));
  expect(kept.map(({ seq }) => seq)).toEqual([1, 101]);
  expect(kept[0]?.payload).toEqual({ text: '' });
});

test('only the end of an endless text is kept', () => {
  const kept: SessionEvent[] = [];
  const builder = new BlockBuilder();
  for (let i = 1; i <= 40; i++) {
    const event = of(i, 'agent.delta', { text: `${i}`.padEnd(8192, '.') });
    append(kept, event);
    addEvent(builder, event);
  }
  const [text] = builder.blocks;
  expect(text).toMatchObject({ truncated: true });
  expect(text?.kind === 'text' && text.text.length).toBe(128 * 1024);
  expect(blocksOf(kept).blocks).toEqual(builder.blocks);
});
