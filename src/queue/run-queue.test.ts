import { expect, test } from 'vitest';
import { z } from 'zod';
import { CapturedLog } from '../../test/support/captured-log.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { DELAY_MAX_MS, PAYLOAD_MAX, type RunRequest } from '../contract/run.ts';
import { memoryStore } from './memory/store.ts';
import { RunQueue } from './run-queue.ts';

function setUp() {
  const log = new CapturedLog();
  const queue = new RunQueue(memoryStore(), { log });
  queue.register('mail', { payload: z.object({ to: z.string(), copies: z.int().default(1) }) });
  queue.register('any', {});
  queue.register('agent', {});
  return { queue, log };
}

const circle: { self?: unknown } = {};
circle.self = circle;
const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);

test.each<[string, unknown, ErrorCode, string]>([
  ['an unknown type', { type: 'nobody' }, 'unknown_type', 'type'],
  ['a type with bad characters', { type: 'a b' }, 'invalid_request', 'type'],
  ['no type', { payload: 1 }, 'invalid_request', 'type'],
  [
    'a payload that does not fit',
    { type: 'mail', payload: { to: 7 } },
    'invalid_payload',
    'payload.to',
  ],
  ['a payload that is missing', { type: 'mail' }, 'invalid_payload', 'payload'],
  [
    'a payload over 1 MiB',
    { type: 'any', payload: 'x'.repeat(PAYLOAD_MAX) },
    'payload_too_large',
    'payload',
  ],
  ['a payload with a cycle', { type: 'any', payload: circle }, 'invalid_request', 'payload'],
  ['a very deep payload', { type: 'any', payload: deep }, 'invalid_request', 'payload'],
  ['a payload with a big integer', { type: 'any', payload: 1n }, 'invalid_request', 'payload'],
  [
    'a payload with a date',
    { type: 'any', payload: { at: new Date() } },
    'invalid_request',
    'payload',
  ],
  ['a negative delay', { type: 'any', delayMs: -1 }, 'invalid_request', 'delayMs'],
  ['half a millisecond', { type: 'any', delayMs: 0.5 }, 'invalid_request', 'delayMs'],
  ['a huge delay', { type: 'any', delayMs: DELAY_MAX_MS + 1 }, 'invalid_request', 'delayMs'],
  [
    'an infinite delay',
    { type: 'any', delayMs: Number.POSITIVE_INFINITY },
    'invalid_request',
    'delayMs',
  ],
  ['a time before 1970', { type: 'any', runAt: -5 }, 'invalid_request', 'runAt'],
  ['a time in microseconds', { type: 'any', runAt: Date.now() * 1000 }, 'invalid_request', 'runAt'],
  ['a time and a delay', { type: 'any', runAt: 1, delayMs: 1 }, 'invalid_request', 'runAt'],
  [
    'a lane of 10,000 characters',
    { type: 'any', lane: 'l'.repeat(10_000) },
    'invalid_request',
    'lane',
  ],
  ['an empty lane', { type: 'any', lane: '' }, 'invalid_request', 'lane'],
  ['a lane with NUL', { type: 'any', lane: 'a\0b' }, 'invalid_request', 'lane'],
  [
    'an owner of 10,000 characters',
    { type: 'any', owner: 'o'.repeat(10_000) },
    'invalid_request',
    'owner',
  ],
  ['no attempts', { type: 'any', maxAttempts: 0 }, 'invalid_request', 'maxAttempts'],
  ['an unknown field', { type: 'any', priority: 1 }, 'invalid_request', 'priority'],
  ['an unknown onBusy', { type: 'any', onBusy: 'steer' }, 'invalid_request', 'onBusy'],
  ['null', null, 'invalid_request', ''],
  ['a string', 'any', 'invalid_request', ''],
])('[Q17] enqueue refuses %s, names the field and changes nothing', async (_, bad, code, field) => {
  const { queue, log } = setUp();
  const request = bad as RunRequest;
  await expect(queue.enqueue(request)).rejects.toMatchObject({ code, details: { field } });
  const good = { type: 'any' };
  await expect(queue.enqueue([good, request])).rejects.toMatchObject({ code });
  expect((await queue.counts()).queued).toBe(0);
  expect(log.of('Enqueued')).toEqual([]);
});

test('the field of a bad run among several is named with its index', async () => {
  const { queue } = setUp();
  const bad = { type: 'any', lane: '' };
  await expect(queue.enqueue([{ type: 'any' }, bad])).rejects.toThrow(/^1\.lane: /);
  await expect(queue.enqueue([{ type: 'mail', payload: {} }])).rejects.toThrow(/^0\.payload\.to: /);
});

test('enqueue returns receipts and logs each run', async () => {
  const { queue, log } = setUp();
  const one = await queue.enqueue({ type: 'any', lane: 'l' });
  const [two, three] = await queue.enqueue([{ type: 'any', lane: 'l' }, { type: 'any' }]);
  expect(one).toMatchObject({ lane: 'l', state: 'queued', position: 0, known: false });
  expect(two).toMatchObject({ lane: 'l', position: 1 });
  expect(three?.lane).toBe(three?.id);
  expect(await queue.enqueue([])).toEqual([]);
  expect(log.of('Enqueued')[0]).toMatchObject({ runId: one.id, type: 'any', lane: 'l' });
  expect(log.of('Enqueued')).toHaveLength(3);
});

test('[Q14] maxAttempts comes from the request, else the type, else the default for the type', async () => {
  const { queue } = setUp();
  queue.register('often', { maxAttempts: 9 });
  const attempts = async (request: RunRequest) =>
    (await queue.get((await queue.enqueue(request)).id))?.maxAttempts;
  expect(await attempts({ type: 'agent' })).toBe(3);
  expect(await attempts({ type: 'any' })).toBe(5);
  expect(await attempts({ type: 'often' })).toBe(9);
  expect(await attempts({ type: 'often', maxAttempts: 2 })).toBe(2);
});

test("[Q10] the same key and body return the same run, whatever the order of the body's keys", async () => {
  const { queue, log } = setUp();
  const base = { type: 'any', lane: 'l', idempotencyKey: 'k' };
  const one = await queue.enqueue({ ...base, payload: { a: 1, b: { c: 2, d: 3 } } });
  const two = await queue.enqueue({ payload: { b: { d: 3, c: 2 }, a: 1 }, ...base });
  expect(two).toMatchObject({ id: one.id, known: true });
  await expect(queue.enqueue({ ...base, payload: { a: 2 } })).rejects.toMatchObject({
    code: 'idempotency_conflict',
  });
  expect(log.of('Enqueued')).toHaveLength(1);
});

test('the payload is stored unchanged; the schema only validates it', async () => {
  const { queue } = setUp();
  const { id } = await queue.enqueue({ type: 'mail', payload: { to: 'x' } });
  expect((await queue.get(id))?.payload).toEqual({ to: 'x' });
});

test('[Q12] queued runs are listed, edited, moved and removed', async () => {
  const { queue } = setUp();
  const mail = (to: string) => ({ type: 'mail', lane: 'l', payload: { to } });
  const receipts = await queue.enqueue([mail('a'), mail('b'), mail('c')]);
  const [a, b, c] = receipts.map(({ id }) => id) as [string, string, string];
  const order = async () => (await queue.listQueued('l')).map(({ id }) => id);
  await queue.move(c, a);
  expect(await order()).toEqual([c, a, b]);
  await queue.move(c, null);
  expect(await order()).toEqual([a, b, c]);
  await queue.remove(b);
  expect(await order()).toEqual([a, c]);
  expect((await queue.edit(a, { to: 'new' })).payload).toEqual({ to: 'new' });
  const refused = { code: 'invalid_payload', details: { field: 'payload.to' } };
  await expect(queue.edit(a, { to: 1 })).rejects.toMatchObject(refused);
  await expect(queue.edit(a, 'x'.repeat(PAYLOAD_MAX))).rejects.toMatchObject({
    code: 'payload_too_large',
  });
  expect((await queue.get(a))?.payload).toEqual({ to: 'new' });
});

test('[Q12] a held lane is resumed; cancel and retry make a new run', async () => {
  const { queue, log } = setUp();
  const { id } = await queue.enqueue({ type: 'any', lane: 'l' });
  await queue.hold('l');
  expect((await queue.getLane('l'))?.held).toBe(true);
  await queue.resume('l');
  expect((await queue.getLane('l'))?.held).toBe(false);
  expect((await queue.cancel(id)).state).toBe('cancelled');
  expect(log.of('Cancelled')).toMatchObject([{ runId: id, type: 'any', lane: 'l', attempt: 0 }]);
  await expect(queue.cancel(id)).rejects.toMatchObject({ code: 'run_finished' });
  const again = await queue.retry(id);
  expect(again).toMatchObject({ state: 'queued', retryOf: id });
  await expect(queue.answer(again.id)).rejects.toMatchObject({ code: 'run_not_waiting' });
});

test('lanes are configured, and their settings checked', async () => {
  const { queue } = setUp();
  await queue.configure('l', { owner: 'u', host: 'h', holdOnFailure: true });
  const lane = { owner: 'u', host: 'h', holdOnFailure: true };
  expect(await queue.getLane('l')).toMatchObject(lane);
  const wrong = { hots: 'h' } as object;
  await expect(queue.configure('l', wrong)).rejects.toMatchObject({ details: { field: 'hots' } });
});

test('an unknown id of any form is not found', async () => {
  const { queue } = setUp();
  for (const id of ['nothing', '', 'a\0b', 'x'.repeat(10_000)]) {
    expect(await queue.get(id)).toBe(null);
    expect(await queue.getLane(id)).toBe(null);
    for (const change of [
      () => queue.cancel(id),
      () => queue.edit(id, null),
      () => queue.move(id, null),
      () => queue.remove(id),
      () => queue.retry(id),
      () => queue.answer(id),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'not_found' });
    }
  }
});

test('list and events validate their range', async () => {
  const { queue } = setUp();
  const { id, lane } = await queue.enqueue({ type: 'any' });
  expect((await queue.list({ states: ['queued'], lane })).map((run) => run.id)).toEqual([id]);
  expect((await queue.events(lane, { runId: id })).map(({ type }) => type)).toEqual(['run.queued']);
  await expect(queue.list({ limit: 0 })).rejects.toMatchObject({ details: { field: 'limit' } });
  await expect(queue.events(lane, { after: -1 })).rejects.toMatchObject({
    details: { field: 'after' },
  });
  await expect(queue.listQueued('')).rejects.toMatchObject({ details: { field: 'lane' } });
});

test('[Q21] finished runs are purged by the time of their end', async () => {
  const { queue } = setUp();
  const { id } = await queue.enqueue({ type: 'any' });
  await queue.cancel(id);
  expect(await queue.purge(0)).toMatchObject({ runs: 0 });
  expect(await queue.purge(Date.now() + 1000)).toMatchObject({ runs: 1 });
  expect(await queue.get(id)).toBe(null);
});

test('a closed queue throws "closed"', async () => {
  const { queue } = setUp();
  await queue.close();
  await queue.close();
  await expect(queue.enqueue({ type: 'any' })).rejects.toMatchObject({ code: 'closed' });
});
