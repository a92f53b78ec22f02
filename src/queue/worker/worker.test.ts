import { expect, test } from 'vitest';
import { z } from 'zod';
import { until } from '../../../test/support/until.ts';
import { Gate, rig } from '../../../test/support/worker-rig.ts';
import { fail, HandlerError, handBack, park } from '../handler-result.ts';
import { SILENT } from '../logger.ts';
import { Worker } from './worker.ts';

test("[Q8] a run is executed and ends with its handler's result", async () => {
  const { queue, worker, reaches } = rig();
  queue.register('add', {
    payload: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => ({ sum: a + b }),
  });
  const { id } = await queue.enqueue({ type: 'add', payload: { a: 2, b: 3 } });
  await worker().start();
  await reaches(id, 'succeeded');
  expect(await queue.get(id)).toMatchObject({ result: { sum: 5 }, attempts: 1, error: null });
});

test('[Q1] the runs of a lane are executed in order, one at a time', async () => {
  const { queue, worker, reaches } = rig();
  const order: number[] = [];
  let executing = 0;
  queue.register('step', {
    run: async (n) => {
      expect(++executing).toBe(1);
      await new Promise(setImmediate);
      order.push(n as number);
      executing--;
    },
  });
  const receipts = await queue.enqueue(
    Array.from({ length: 50 }, (_, n) => ({ type: 'step', lane: 'one', payload: n })),
  );
  await worker({ concurrency: 8 }).start();
  await reaches(receipts.at(-1)?.id ?? '', 'succeeded');
  expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
});

test('[Q2] a worker never executes more runs than it has slots', async () => {
  const { queue, worker } = rig();
  const gate = new Gate();
  queue.register('slow', { run: () => gate.pass() });
  await queue.enqueue(Array.from({ length: 9 }, () => ({ type: 'slow' })));
  const one = worker({ concurrency: 4 });
  await one.start();
  await until(async () => (await queue.counts()).running === 4);
  expect(one.executing).toBe(4);
  expect(gate.reached).toBe(4);
  expect((await queue.counts()).queued).toBe(5);
  gate.open();
  await until(async () => (await queue.counts()).succeeded === 9);
});

test('[Q2] a cap on a type holds for two workers together', async () => {
  const { queue, worker } = rig();
  const gate = new Gate();
  queue.register('agent', { run: () => gate.pass() });
  await queue.enqueue(Array.from({ length: 10 }, () => ({ type: 'agent' })));
  const caps = { types: { agent: 3 } };
  await Promise.all([worker({ caps }).start(), worker({ caps }).start()]);
  await until(() => gate.reached === 3);
  expect((await queue.counts()).queued).toBe(7);
  gate.open();
  await until(async () => (await queue.counts()).succeeded === 10);
});

test('[Q14] a failure is retried after a backoff until the run is dead', async () => {
  const { queue, worker, reaches, log } = rig();
  const seen: unknown[] = [];
  queue.register('flaky', {
    maxAttempts: 3,
    retry: { firstMs: 10, factor: 2, capMs: 1000 },
    run: async (_, context) => {
      seen.push((await context.history()).map(({ attempt, ended }) => [attempt, ended]));
      throw new HandlerError('network_error', `attempt ${context.attempt}`);
    },
  });
  const { id } = await queue.enqueue({ type: 'flaky' });
  await worker({ random: () => 1 }).start();
  await reaches(id, 'dead');
  expect(seen).toEqual([
    [],
    [[1, 'failed']],
    [
      [1, 'failed'],
      [2, 'failed'],
    ],
  ]);
  const error = { class: 'network_error', message: 'attempt 3' };
  expect(await queue.get(id)).toMatchObject({ attempts: 3, error });
  await until(() => log.of('Dead').length === 1);
  expect(log.of('RetryScheduled').map((line) => line.delayMs)).toEqual([15, 30]);
  expect(log.about(id)).toEqual([
    'Enqueued',
    ...['Started', 'Failed', 'RetryScheduled', 'Started', 'Failed', 'RetryScheduled'],
    ...['Started', 'Failed', 'Dead'],
  ]);
});

test('[O4] [R137] the named log lines carry run, type, lane and attempt', async () => {
  const { queue, worker, reaches, log } = rig();
  queue.register('fine', { run: () => 1 });
  queue.register('bad', { run: () => fail('auth_failed', 'signed out') });
  const fine = await queue.enqueue({ type: 'fine', lane: 'a' });
  const bad = await queue.enqueue({ type: 'bad', lane: 'b' });
  await worker().start();
  await reaches(fine.id, 'succeeded');
  await reaches(bad.id, 'failed');
  await until(() => log.of('Failed').length + log.of('Succeeded').length === 2);
  const fields = { runId: fine.id, type: 'fine', lane: 'a' };
  expect(log.of('Enqueued')[0]).toMatchObject({ level: 'info', ...fields });
  expect(log.of('Started')).toContainEqual(expect.objectContaining({ ...fields, attempt: 1 }));
  expect(log.of('Succeeded')[0]).toMatchObject({ level: 'info', ...fields, attempt: 1 });
  const err = { class: 'auth_failed', message: 'signed out' };
  expect(log.of('Failed')).toMatchObject([{ level: 'warn', runId: bad.id, lane: 'b', err }]);
  expect(log.of('RetryScheduled')).toEqual([]);
});

test.each([
  ['a string', 'plain words', 'plain words'],
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['an object', { code: 7 }, '{"code":7}'],
])('[Q15] a handler that throws %s fails with the class unknown', async (_, thrown, message) => {
  const { queue, worker, reaches } = rig();
  queue.register('throws', {
    maxAttempts: 1,
    run: () => {
      throw thrown;
    },
  });
  const { id } = await queue.enqueue({ type: 'throws' });
  await worker().start();
  await reaches(id, 'dead');
  expect((await queue.get(id))?.error).toEqual({ class: 'unknown', message });
});

test('[Q17] a payload that no longer fits its schema fails without calling the handler', async () => {
  const { queue, worker, reaches } = rig();
  let limit = 10;
  let calls = 0;
  queue.register('picky', {
    payload: z.object({ n: z.number().refine((n) => n < limit, 'too large') }),
    run: () => calls++,
  });
  const { id } = await queue.enqueue({ type: 'picky', payload: { n: 5 } });
  limit = 3;
  await worker().start();
  await reaches(id, 'failed');
  const error = { class: 'invalid_payload', message: 'payload.n: too large' };
  expect((await queue.get(id))?.error).toEqual(error);
  expect(calls).toBe(0);
});

test('[Q17] a type without a handler here is left to other nodes and logged', async () => {
  const { queue, worker, reaches, log } = rig();
  queue.register('here', { run: () => null });
  queue.register('elsewhere', {});
  const elsewhere = await queue.enqueue({ type: 'elsewhere' });
  const here = await queue.enqueue({ type: 'here' });
  await worker({ typesMs: 30 }).start();
  await reaches(here.id, 'succeeded');
  expect((await queue.get(elsewhere.id))?.state).toBe('queued');
  const named = 'No live node handles these types of queued runs';
  await until(() => log.of(named).length === 1);
  expect(log.of(named)[0]).toMatchObject({ level: 'warn', types: ['elsewhere'] });
  await queue.cancel(elsewhere.id);
  await until(
    () => log.of('Every type of queued run is handled by a live node again').length === 1,
  );
  expect(log.of(named)).toHaveLength(1);
});

test('[Q23] hosts that have waiting runs but no live worker are logged once, with the remedy', async () => {
  const { queue, worker, reaches, log } = rig();
  queue.register('task', { run: () => null });
  for (const lane of ['l', 'm']) await queue.configure(lane, { host: 'gone' });
  const { id } = await queue.enqueue({ type: 'task', lane: 'l' });
  await worker({ typesMs: 30, host: 'here' }).start();
  const named = () => log.lines.filter(({ message }) => message.includes('without a live worker'));
  await until(() => named().length === 1);
  expect(named()[0]).toMatchObject({ level: 'warn', hosts: ['gone'] });
  expect(named()[0]?.message).toContain('start a worker there, or move their sessions');
  // Another lane on the same host is not logged again.
  const other = await queue.enqueue({ type: 'task', lane: 'm' });
  await queue.configure('m', { host: 'here' });
  await reaches(other.id, 'succeeded');
  expect(named()).toHaveLength(1);
  await queue.configure('l', { host: 'here' });
  await reaches(id, 'succeeded');
  await until(() => log.of('All hosts with waiting runs have a live worker again').length === 1);
  expect(named()).toHaveLength(1);
});

test('[Q15] a usage limit parks the run until its reset without counting an attempt', async () => {
  const { queue, worker, reaches } = rig();
  const begun: number[] = [];
  let reset = 0;
  queue.register('limited', {
    run: () => {
      if (begun.push(Date.now()) > 1) return 'done';
      reset = Date.now() + 200;
      return park(reset, 'limit reached');
    },
  });
  const { id } = await queue.enqueue({ type: 'limited' });
  await worker({ random: () => 0.5 }).start();
  await reaches(id, 'retry_scheduled');
  const parked = await queue.get(id);
  expect(parked?.error?.class).toBe('usage_limit');
  expect(parked?.nextRunAt).toBeGreaterThan(reset);
  expect(parked?.nextRunAt).toBeLessThanOrEqual(reset + 50);
  await reaches(id, 'succeeded');
  expect(begun[1]).toBeGreaterThanOrEqual(reset);
  expect(await queue.get(id)).toMatchObject({ attempts: 1 });
});

test("[Q15] a parked run waits for its reset even if the database's clock is ahead", async () => {
  const { queue, worker, reaches } = rig();
  const clock = (): number => Date.now() - 3_600_000;
  const begun: number[] = [];
  queue.register('limited', {
    run: () => (begun.push(Date.now()) > 1 ? 'done' : park(clock() + 200, 'limit reached')),
  });
  const { id } = await queue.enqueue({ type: 'limited' });
  await worker({ clock }).start();
  await reaches(id, 'succeeded');
  expect(begun[1]! - begun[0]!).toBeGreaterThanOrEqual(200);
});

test('[Q14] a run handed back by its handler is executed again without counting an attempt', async () => {
  const { queue, worker, reaches } = rig();
  let calls = 0;
  queue.register('moody', { run: () => (++calls < 3 ? handBack('not now') : calls) });
  const { id } = await queue.enqueue({ type: 'moody' });
  await worker().start();
  await reaches(id, 'succeeded');
  expect(await queue.get(id)).toMatchObject({ attempts: 1, result: 3 });
});

test('[Q3] a delayed run starts when it is due and not before', async () => {
  const { queue, worker, reaches } = rig();
  let began = 0;
  queue.register('later', {
    run: () => {
      began = Date.now();
    },
  });
  await worker({ pollMs: 100 }).start();
  const dueAt = Date.now() + 150;
  const { id } = await queue.enqueue({ type: 'later', runAt: dueAt });
  await reaches(id, 'succeeded');
  expect(began).toBeGreaterThanOrEqual(dueAt);
});

test('[Q9] a queued run that was cancelled is never executed', async () => {
  const { queue, worker, reaches } = rig();
  const called: unknown[] = [];
  queue.register('any', { run: (n) => called.push(n) });
  const one = await queue.enqueue({ type: 'any', payload: 1 });
  const two = await queue.enqueue({ type: 'any', payload: 2 });
  await queue.cancel(one.id);
  await worker().start();
  await reaches(two.id, 'succeeded');
  expect(called).toEqual([2]);
});

test('[R015] an idle worker starts a run on a hint, long before its next poll', async () => {
  const { queue, worker, reaches } = rig();
  queue.register('quick', { run: () => null });
  await worker({ pollMs: 60_000 }).start();
  const before = performance.now();
  const { id } = await queue.enqueue({ type: 'quick' });
  await reaches(id, 'succeeded');
  expect(performance.now() - before).toBeLessThan(2000);
});

test('[Q23] a worker that is not admitted claims nothing, leaves, and throws the reason', async () => {
  const { queue, worker, reaches } = rig();
  queue.register('quick', { run: () => null });
  const { id } = await queue.enqueue({ type: 'quick' });
  const admit = async () => {
    // It has joined by then, so that of two that start together one sees the other.
    expect(await queue.store.listNodes()).toHaveLength(1);
    return new Error('not here');
  };
  await expect(worker({ admit }).start()).rejects.toThrow('not here');
  expect(await queue.store.listNodes()).toEqual([]);
  expect(await queue.get(id)).toMatchObject({ state: 'queued', attempts: 0 });
  await worker().start();
  await reaches(id, 'succeeded');
});

test('options out of range are refused', () => {
  const { queue } = rig();
  expect(() => new Worker(queue, { concurrency: 0 })).toThrow('concurrency');
  expect(() => new Worker(queue, { pollMs: Number.NaN, log: SILENT })).toThrow('pollMs');
  expect(() => new Worker(queue, { leaseMs: 100, renewMs: 100 })).toThrow('renewMs');
});

test('[Q4] with one slot the types take turns, however many runs one of them has queued', async () => {
  const { queue, worker, reaches } = rig();
  const order: string[] = [];
  for (const type of ['busy', 'rare']) {
    queue.register(type, {
      run: () => {
        order.push(type);
      },
    });
  }
  await queue.enqueue(Array.from({ length: 30 }, () => ({ type: 'busy' })));
  const { id } = await queue.enqueue({ type: 'rare' });
  await worker({ concurrency: 1 }).start();
  await reaches(id, 'succeeded');
  expect(order.indexOf('rare')).toBeLessThan(4);
});
