import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Gate, rig } from '../../../test/support/worker-rig.ts';
import { fail } from '../handler-result.ts';

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

test('stop before start, start twice, stop twice and start again all work', async () => {
  const { queue, worker, reaches, base } = rig();
  queue.register('any', { run: () => null });
  const one = worker();
  await one.stop();
  await Promise.all([one.start(), one.start()]);
  expect(await base.listNodes()).toHaveLength(1);
  const first = one.nodeId;
  await Promise.all([one.stop(), one.stop()]);
  await one.stop();
  expect(one.nodeId).toBe(null);
  expect(await base.listNodes()).toEqual([]);
  await one.start();
  expect(one.nodeId).not.toBe(first);
  const { id } = await queue.enqueue({ type: 'any' });
  await reaches(id, 'succeeded');
  const stopped = one.stop();
  const again = one.start();
  await stopped;
  await again;
  expect(one.leaseRemainingMs).toBeGreaterThan(0);
});

test('a worker stopped before it has joined leaves no node behind', async () => {
  const { worker, base, faults } = rig();
  const join = new Gate();
  faults.before = (method) => (method === 'join' ? join.pass() : undefined);
  const one = worker();
  const started = one.start();
  await until(() => join.reached === 1);
  const stopped = one.stop();
  join.open();
  await Promise.all([started, stopped]);
  expect(await base.listNodes()).toEqual([]);
});

test('[Q20] stop claims nothing more and lets running handlers finish', async () => {
  const { queue, worker, reaches, stateOf } = rig();
  const gate = new Gate();
  queue.register('slow', { run: () => gate.pass() });
  const running = await queue.enqueue({ type: 'slow', lane: 'a' });
  const queued = await queue.enqueue({ type: 'slow', lane: 'a' });
  const one = worker();
  await one.start();
  await reaches(running.id, 'running');
  const stopped = one.stop();
  const late = await queue.enqueue({ type: 'slow' });
  gate.open();
  await stopped;
  expect(await stateOf(running.id)).toBe('succeeded');
  expect(await stateOf(queued.id)).toBe('queued');
  expect(await stateOf(late.id)).toBe('queued');
});

test('[Q20] after the grace period handlers are aborted and their runs are handed back', async () => {
  const { queue, worker, reaches, base, log } = rig();
  queue.register('long', { run: (_, { signal }) => aborted(signal) });
  queue.register('saves', {
    run: async (_, { signal }) => {
      await aborted(signal);
      return 'finished in time';
    },
  });
  queue.register('breaks', {
    run: async (_, { signal }) => {
      await aborted(signal);
      throw new Error('killed');
    },
  });
  queue.register('wrong', {
    run: async (_, { signal }) => {
      await aborted(signal);
      return fail('turn_limit', 'over');
    },
  });
  const types = ['long', 'saves', 'breaks', 'wrong'];
  const ids = (await queue.enqueue(types.map((type) => ({ type })))).map(({ id }) => id);
  const [long, saves, breaks, wrong] = ids as [string, string, string, string];
  const one = worker({ graceMs: 30 });
  await one.start();
  for (const id of ids) await reaches(id, 'running');
  await one.stop();
  expect(await queue.get(long)).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
  expect(await queue.get(saves)).toMatchObject({ state: 'succeeded', result: 'finished in time' });
  expect(await queue.get(breaks)).toMatchObject({ state: 'queued', attempts: 0, crashes: 0 });
  expect(await queue.get(wrong)).toMatchObject({ state: 'failed', error: { class: 'turn_limit' } });
  expect(await base.listNodes()).toEqual([]);
  expect(log.of('HandedBack')).toHaveLength(2);
  await worker().start();
  await reaches(long, 'running');
});

test('[Q20] a second, immediate stop skips the grace period', async () => {
  const { queue, worker, reaches } = rig();
  queue.register('long', { run: (_, { signal }) => aborted(signal) });
  const { id } = await queue.enqueue({ type: 'long' });
  const one = worker({ graceMs: 3_600_000 });
  await one.start();
  await reaches(id, 'running');
  const first = one.stop();
  await Promise.all([first, one.stop({ immediate: true })]);
  expect((await queue.get(id))?.state).toBe('queued');
});

test('[Q20] runs that a claim returns during the stop are handed back unexecuted', async () => {
  const { queue, worker, stateOf, faults } = rig();
  const claim = new Gate();
  let calls = 0;
  queue.register('any', { run: () => calls++ });
  faults.before = (method) => (method === 'claim' ? claim.pass() : undefined);
  const one = worker();
  await one.start();
  const { id } = await queue.enqueue({ type: 'any' });
  await until(() => claim.reached === 1);
  const stopped = one.stop();
  claim.open();
  await stopped;
  expect(await stateOf(id)).toBe('queued');
  expect(await queue.get(id)).toMatchObject({ attempts: 0, crashes: 0 });
  expect(calls).toBe(0);
});

test('a handler that never returns does not delay the stop forever', async () => {
  const { queue, worker, reaches, log, base } = rig();
  queue.register('deaf', { run: () => new Promise(() => {}) });
  const { id } = await queue.enqueue({ type: 'deaf' });
  const one = worker({ graceMs: 1, returnMs: 20 });
  await one.start();
  await reaches(id, 'running');
  await one.stop();
  expect(log.of('Stopped before all runs had ended')).toMatchObject([{ runs: [id] }]);
  // The node did not leave: the run is taken over only when its lease expires.
  expect(await base.listNodes()).toHaveLength(1);
  expect((await queue.get(id))?.state).toBe('running');
});

test('[Q8] a committed outcome stands, whatever its handler does afterwards', async () => {
  const { queue, worker, reaches } = rig();
  queue.register('commits', {
    run: async (_, { commit }) => {
      await commit({ answer: 42 });
      throw new Error('while cleaning up');
    },
  });
  const { id } = await queue.enqueue({ type: 'commits' });
  await worker().start();
  await reaches(id, 'succeeded');
  expect((await queue.get(id))?.result).toEqual({ answer: 42 });
});
