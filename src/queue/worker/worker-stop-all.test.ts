import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Gate, rig } from '../../../test/support/worker-rig.ts';
import { EVERYTHING_STOPPED } from '../../contract/limits.ts';

const STOP = { by: 'ann', reason: null };

/** Waits for the signal, then rejects with its reason, as most libraries do. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('[Q9] with a hint, a worker notices the stop within 1 s and hands back its runs', async () => {
  const { queue, store, worker, reaches, log } = rig();
  queue.register('long', { run: (_, { signal }) => untilAborted(signal) });
  const runs = await Promise.all([1, 2, 3].map(() => queue.enqueue({ type: 'long' })));
  const changes: boolean[] = [];
  const one = worker({ pollMs: 60_000, onStopped: (stopped) => void changes.push(stopped) });
  await one.start();
  for (const { id } of runs) await reaches(id, 'running');
  const asked = performance.now();
  await store.setStop(STOP);
  for (const { id } of runs) await reaches(id, 'queued');
  expect(performance.now() - asked).toBeLessThan(1000);
  expect(one.stats.stopped).toBe(true);
  expect(log.of('EverythingStopped')).toMatchObject([{ runs: 3 }]);
  for (const { id, lane } of runs) {
    expect(await queue.get(id)).toMatchObject({ attempts: 0, crashes: 0, error: null });
    expect((await queue.events(lane)).at(-1)).toMatchObject({
      type: 'run.handed_back',
      payload: { reason: EVERYTHING_STOPPED },
    });
  }
  await store.setStop(null);
  for (const { id } of runs) await reaches(id, 'running');
  await until(() => !one.stats.stopped);
  expect(changes).toEqual([true, false]);
  expect(log.of('EverythingResumed')).toHaveLength(1);
  expect((await queue.get(runs[0]!.id))?.attempts).toBe(1);
});

test('[Q9] with polling alone, a worker notices the stop within 1 s', async () => {
  const { queue, store, worker, reaches } = rig();
  // No hint reaches the worker; the poll has its default interval.
  store.onHint = () => () => {};
  queue.register('long', { run: (_, { signal }) => untilAborted(signal) });
  const { id } = await queue.enqueue({ type: 'long' });
  await worker({ pollMs: 250 }).start();
  await reaches(id, 'running');
  const asked = performance.now();
  await store.setStop(STOP);
  await reaches(id, 'queued');
  expect(performance.now() - asked).toBeLessThan(1000);
});

test('[Q9] a run whose claim is answered after the stop is handed back', async () => {
  const { queue, store, base, worker, reaches } = rig();
  const answer = new Gate();
  const begun: string[] = [];
  queue.register('long', {
    run: (_, { run, signal }) => {
      begun.push(run.id);
      return untilAborted(signal);
    },
  });
  const { id } = await queue.enqueue({ type: 'long' });
  const claim = base.claim.bind(base);
  base.claim = async (request) => {
    const claimed = await claim(request);
    await answer.pass();
    return claimed;
  };
  await worker().start();
  await reaches(id, 'dequeued');
  await store.setStop(STOP);
  answer.open();
  await reaches(id, 'queued');
  expect(await queue.get(id)).toMatchObject({ attempts: 0, crashes: 0 });
  expect(begun.length).toBeLessThanOrEqual(1);
});

test('[A7] the stop ends the handler of a waiting run, and its question stays open', async () => {
  const { queue, store, worker, reaches } = rig();
  queue.register('asks', {
    run: async (_, { attempt, history, wait }) => {
      if (attempt === 1 && (await history()).length === 0) await wait();
      return 'answered';
    },
  });
  const { id } = await queue.enqueue({ type: 'asks', lane: 'l' });
  const one = worker();
  await one.start();
  await reaches(id, 'waiting');
  await store.setStop(STOP);
  await until(async () => (await queue.getLane('l'))?.nodeId === null);
  expect(await queue.get(id)).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0 });
  await queue.answer(id);
  await reaches(id, 'queued');
  await store.setStop(null);
  await reaches(id, 'succeeded');
});

test('[Q9] a run cancelled while the stop ends its handler ends cancelled', async () => {
  const { queue, store, worker, reaches } = rig();
  const gate = new Gate();
  queue.register('slow', {
    run: async (_, { signal }) => {
      await untilAborted(signal).catch(() => {});
      await gate.pass();
    },
  });
  const { id } = await queue.enqueue({ type: 'slow' });
  await worker().start();
  await reaches(id, 'running');
  await store.setStop(STOP);
  await until(() => gate.reached === 1);
  await queue.cancel(id);
  gate.open();
  await reaches(id, 'cancelled');
});
