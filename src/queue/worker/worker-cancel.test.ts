import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Gate, rig } from '../../../test/support/worker-rig.ts';
import { AbortReason } from '../handler-result.ts';

/** Waits for the signal, then rejects with its reason, as most libraries do. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('[Q9] with a hint, a worker notices a cancel within 1 s, and the run ends cancelled', async () => {
  const { queue, worker, reaches, log } = rig();
  let reason: unknown;
  queue.register('long', {
    run: async (_, { signal }) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      await untilAborted(signal);
    },
  });
  const { id } = await queue.enqueue({ type: 'long' });
  await worker({ pollMs: 60_000 }).start();
  await reaches(id, 'running');
  const asked = performance.now();
  await queue.cancel(id);
  await reaches(id, 'cancelled');
  expect(performance.now() - asked).toBeLessThan(1000);
  expect(reason).toBeInstanceOf(AbortReason);
  expect(reason).toMatchObject({ kind: 'cancelled', cancel: 'stop', name: 'AbortError' });
  await until(() => log.of('Cancelled').length === 1);
});

test('[Q9] with polling alone, a worker notices a cancel within 1 s', async () => {
  const { queue, store, worker, reaches } = rig();
  // No hint reaches the worker; the poll has its default interval.
  store.onHint = () => () => {};
  queue.register('long', { run: (_, { signal }) => untilAborted(signal) });
  const { id } = await queue.enqueue({ type: 'long' });
  await worker({ pollMs: 250 }).start();
  await reaches(id, 'running');
  const asked = performance.now();
  await queue.cancel(id);
  await reaches(id, 'cancelled');
  expect(performance.now() - asked).toBeLessThan(1000);
});

test('[Q9] after a cancel, returning nothing ends the run cancelled, and a result ends it succeeded', async () => {
  const { queue, worker, reaches } = rig();
  const gate = new Gate();
  queue.register('any', {
    run: async (result, { signal }) => {
      await untilAborted(signal).catch(() => {});
      await gate.pass();
      return result ?? undefined;
    },
  });
  const gaveUp = await queue.enqueue({ type: 'any', payload: null });
  const madeIt = await queue.enqueue({ type: 'any', payload: 'result' });
  await worker().start();
  await reaches(gaveUp.id, 'running');
  await reaches(madeIt.id, 'running');
  await queue.cancel(gaveUp.id);
  await queue.cancel(madeIt.id);
  await until(() => gate.reached === 2);
  gate.open();
  await reaches(gaveUp.id, 'cancelled');
  await reaches(madeIt.id, 'succeeded');
});

test('[Q9] a handler that ignores its signal is reported, and its lane stays taken', async () => {
  const { queue, worker, reaches, stateOf, log } = rig();
  const gate = new Gate();
  queue.register('deaf', { run: () => gate.pass() });
  const deaf = await queue.enqueue({ type: 'deaf', lane: 'one' });
  const next = await queue.enqueue({ type: 'deaf', lane: 'one' });
  await worker({ returnMs: 60 }).start();
  await reaches(deaf.id, 'running');
  await queue.cancel(deaf.id);
  await until(() => log.of('A handler is ignoring its abort signal').length === 1);
  expect(log.of('A handler is ignoring its abort signal')[0]).toMatchObject({
    level: 'warn',
    runId: deaf.id,
  });
  expect(await stateOf(deaf.id)).toBe('running');
  expect(await stateOf(next.id)).toBe('queued');
  gate.open();
  await reaches(deaf.id, 'cancelled');
  await reaches(next.id, 'succeeded');
  expect(log.of('A handler is ignoring its abort signal')).toHaveLength(1);
});

test('[Q11] an interrupting run stops the one before it and runs next', async () => {
  const { queue, worker, reaches } = rig();
  queue.register('talk', {
    run: async (text, { signal }) => (text === 'first' ? untilAborted(signal) : text),
  });
  await worker().start();
  const first = await queue.enqueue({ type: 'talk', lane: 's', payload: 'first' });
  await reaches(first.id, 'running');
  const second = await queue.enqueue({
    type: 'talk',
    lane: 's',
    payload: 'second',
    onBusy: 'interrupt',
  });
  await reaches(first.id, 'cancelled');
  await reaches(second.id, 'succeeded');
});
