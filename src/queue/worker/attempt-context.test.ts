import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { rig } from '../../../test/support/worker-rig.ts';
import { EVENT_PAYLOAD_MAX, QUEUE_EVENTS } from '../../contract/event.ts';
import { PAYLOAD_MAX } from '../../contract/run.ts';
import { fail, handBack } from '../handler-result.ts';
import type { AnyEvents, AttemptContext } from './attempt-context.ts';

/** Executes one handler and returns its run and its events. */
async function execute(handler: (context: AttemptContext<AnyEvents>) => unknown) {
  const { queue, worker, log } = rig();
  queue.register('any', { maxAttempts: 1, run: (_, context) => handler(context) });
  const { id, lane } = await queue.enqueue({ type: 'any' });
  await worker().start();
  await until(async () => (await queue.get(id))?.finishedAt !== null);
  const events = await queue.events(lane, { limit: 1000 });
  return { run: await queue.get(id), events, log };
}

test('[E1] events are stored in order, between start and end, with run and attempt', async () => {
  const { run, events } = await execute(async ({ emit, progress }) => {
    void emit('step.said', { text: 'one' });
    void progress(0.5);
    await emit('step.said', { text: 'two' });
  });
  expect(events.map(({ type }) => type)).toEqual([
    ...['run.queued', 'run.dequeued', 'run.start'],
    ...['step.said', 'run.progress', 'step.said'],
    ...['run.finished', 'done'],
  ]);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + (events[0]?.seq ?? 0)));
  expect(events[3]).toMatchObject({ runId: run?.id, attempt: 1, payload: { text: 'one' } });
  expect(run?.state).toBe('succeeded');
});

test('changing a payload after emit() does not change the stored event', async () => {
  const { events } = await execute(async ({ emit }) => {
    const payload = { n: 1 };
    const stored = emit('step.said', payload);
    payload.n = 2;
    await stored;
  });
  expect(events.find(({ type }) => type === 'step.said')?.payload).toEqual({ n: 1 });
});

test.each([
  ...Object.keys(QUEUE_EVENTS).map((type) => [type, null, 'invalid_request'] as const),
  ['Not A Type', null, 'invalid_request'] as const,
  ['', null, 'invalid_request'] as const,
  ['step.said', 1n, 'invalid_request'] as const,
  ['step.said', undefined, 'invalid_request'] as const,
  ['step.said', 'x'.repeat(EVENT_PAYLOAD_MAX), 'payload_too_large'] as const,
])('[E5] emit() throws for a %s event that cannot be stored', async (type, payload, code) => {
  const { run, events } = await execute(({ emit }) => {
    // Not awaited: emit() must throw, not reject.
    expect(() => emit(type, payload)).toThrow(expect.objectContaining({ code }));
    return 'checked';
  });
  expect(run).toMatchObject({ state: 'succeeded', result: 'checked' });
  expect(events).toHaveLength(5);
});

test('[E5] an event of 256 KiB is stored', async () => {
  const text = 'x'.repeat(EVENT_PAYLOAD_MAX - 2);
  const { events } = await execute(({ emit }) => emit('step.said', text));
  expect(events.some(({ payload }) => payload === text)).toBe(true);
});

test('[E7] a handler that emits very much continues at the pace of the store', async () => {
  const { run, events } = await execute(async ({ emit, room }) => {
    const text = 'x'.repeat(200_000);
    for (let n = 0; n < 100; n++) {
      void emit('step.said', { n, text });
      await room();
    }
  });
  expect(run?.state).toBe('succeeded');
  const numbers = events
    .filter(({ type }) => type === 'step.said')
    .map(({ payload }) => (payload as { n: number }).n);
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test('[E7] a handler that never waits fails instead of exhausting memory', async () => {
  const { run } = await execute(({ emit }) => {
    for (;;) void emit('step.said', 'x'.repeat(200_000));
  });
  expect(run).toMatchObject({
    state: 'dead',
    error: { message: expect.stringContaining('await') },
  });
});

test("a handler's log names its run", async () => {
  const { run, log } = await execute((context) => context.log.info({ step: 1 }, 'Hello'));
  expect(log.of('Hello')).toMatchObject([{ runId: run?.id, type: 'any', attempt: 1, step: 1 }]);
});

test('[Q10] commit() takes a failure but not a hand-back', async () => {
  const { run } = await execute(async ({ commit }) => {
    expect(() => commit(handBack('why'))).toThrow('commit()');
    await commit(fail('turn_limit', 'over'));
    return 'too late';
  });
  expect(run).toMatchObject({ state: 'failed', error: { class: 'turn_limit' } });
});

test('a result over 1 MiB fails without a retry', async () => {
  const { run } = await execute(() => 'x'.repeat(PAYLOAD_MAX));
  expect(run).toMatchObject({ state: 'failed', error: { class: 'invalid_payload' } });
});
