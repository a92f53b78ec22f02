import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { Gate, rig } from '../../../test/support/worker-rig.ts';
import { AbortReason } from '../handler-result.ts';
import { memoryStore } from '../memory/store.ts';

const reasonOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

test('[Q6] a write with an outdated fence stops the handler and is not stored', async () => {
  const { queue, worker, base, reaches, log } = rig();
  const gate = new Gate();
  const reasons: unknown[] = [];
  queue.register('any', {
    run: async (_, { signal, progress }) => {
      if (reasons.length > 0) return 'second attempt';
      await gate.pass();
      await expect(progress('late')).rejects.toThrow();
      reasons.push(signal.reason);
      return 'late result';
    },
  });
  const { id, lane } = await queue.enqueue({ type: 'any' });
  // Neither a claim nor a poll may reveal the loss first.
  const one = worker({ pollMs: 60_000, concurrency: 1 });
  await one.start();
  await reaches(id, 'running');
  await base.takeOver([one.nodeId ?? '']);
  gate.open();
  await reaches(id, 'succeeded');
  expect(reasons).toMatchObject([{ kind: 'lost' }]);
  expect(log.about(id)).toContain('Lost');
  expect(await queue.get(id)).toMatchObject({ crashes: 1, result: 'second attempt' });
  const events = (await queue.events(lane)).map(({ type }) => type);
  expect(events).not.toContain('run.progress');
});

test('[Q6] a lane that is missing from the poll stops its handler', async () => {
  const { queue, worker, base, reaches, log } = rig();
  let reason: unknown;
  queue.register('any', {
    run: async (_, { signal }) => {
      reason = await reasonOf(signal);
    },
  });
  const { id } = await queue.enqueue({ type: 'any' });
  // Claims must not reveal the loss first, so all slots are taken.
  const one = worker({ concurrency: 1 });
  await one.start();
  await reaches(id, 'running');
  await base.takeOver([one.nodeId ?? '']);
  await until(() => log.of('Lost').length === 1);
  expect(reason).toBeInstanceOf(AbortReason);
  expect(reason).toMatchObject({ kind: 'lost' });
});

test('[Q22] a claim answered after the lease has expired calls no handler', async () => {
  const base = memoryStore();
  let blocked = false;
  const claim = base.claim.bind(base);
  base.claim = async (request) => {
    const claimed = await claim(request);
    if (claimed.length > 0 && !blocked) {
      blocked = true;
      // As if the process were suspended: no timer fires before the answer arrives.
      const until = performance.now() + 400;
      while (performance.now() < until);
    }
    return claimed;
  };
  const { queue, worker, reaches } = rig(base);
  const leases: number[] = [];
  queue.register('any', { run: () => void leases.push(one.leaseRemainingMs) });
  const { id } = await queue.enqueue({ type: 'any' });
  const one = worker({ leaseMs: 300, renewMs: 30 });
  await one.start();
  await reaches(id, 'succeeded');
  expect(leases).toHaveLength(1);
  expect(leases[0]).toBeGreaterThan(0);
  expect(await queue.get(id)).toMatchObject({ crashes: 1, attempts: 1 });
});

test('[Q6] a worker that loses its lease stops all its attempts and joins as a new node', async () => {
  const { queue, worker, base, reaches, log } = rig();
  const reasons: unknown[] = [];
  queue.register('long', {
    run: async (_, { signal, attempt }) => {
      if (reasons.length > 0) return `finished in attempt ${attempt}`;
      reasons.push(await reasonOf(signal));
    },
  });
  const { id } = await queue.enqueue({ type: 'long' });
  const one = worker({ leaseMs: 300, renewMs: 30 });
  await one.start();
  const first = one.nodeId;
  await reaches(id, 'running');
  await base.leave(first ?? '');
  await reaches(id, 'succeeded');
  expect(reasons).toMatchObject([{ kind: 'lost' }]);
  expect(one.nodeId).not.toBe(first);
  expect(one.stats.leaseLosses).toBe(1);
  expect(log.of('LeaseLost')).toMatchObject([{ level: 'error', node: first }]);
  expect(await queue.get(id)).toMatchObject({ crashes: 1, attempts: 1 });
});

test('[Q22] a lost handler that does not return delays the next attempt on its lane in this process', async () => {
  const { queue, worker, base, reaches } = rig();
  const gate = new Gate();
  const steps: string[] = [];
  queue.register('deaf', {
    run: async () => {
      if (steps.push('begin') === 1) await gate.pass();
      steps.push('end');
    },
  });
  const { id } = await queue.enqueue({ type: 'deaf' });
  const one = worker({ leaseMs: 300, renewMs: 30 });
  await one.start();
  await reaches(id, 'running');
  await base.leave(one.nodeId ?? '');
  await reaches(id, 'dequeued');
  expect(one.executing).toBe(2);
  gate.open();
  await reaches(id, 'succeeded');
  expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
});

test('[Q22] a lost handler delays the next attempt even if its lane is lost several times', async () => {
  const { queue, worker, base, reaches } = rig();
  const gate = new Gate();
  const steps: string[] = [];
  queue.register('deaf', {
    run: async () => {
      if (steps.push('begin') === 1) await gate.pass();
      steps.push('end');
    },
  });
  const { id } = await queue.enqueue({ type: 'deaf' });
  const one = worker({ leaseMs: 300, renewMs: 30 });
  await one.start();
  await reaches(id, 'running');
  for (const times of [1, 2]) {
    await base.leave(one.nodeId ?? '');
    await until(() => one.stats.leaseLosses === times && one.nodeId !== null);
    await reaches(id, 'dequeued');
    await until(() => one.executing === 2);
  }
  expect(steps).toEqual(['begin']);
  gate.open();
  await reaches(id, 'succeeded');
  expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
});

test('[Q7] a worker takes over from a node whose lease has expired', async () => {
  let now = Date.now();
  const base = memoryStore({ clock: () => now });
  const { queue, worker, reaches, log } = rig(base);
  queue.register('any', { run: () => 'taken over' });
  const { id } = await queue.enqueue({ type: 'any' });
  const one = worker();
  await base.join(
    {
      ...{ id: 'gone', host: 'another', bootId: 'b', pidNamespace: '', pid: 1, pidStart: '' },
      ...{ roles: ['worker'], types: ['any'], capacity: 1, version: '' },
    },
    500,
  );
  await base.claim({
    ...{ nodeId: 'gone', types: ['any'], limit: 1 },
    caps: { types: {}, perOwner: null },
  });
  now += 1000;
  await one.start();
  await reaches(id, 'succeeded');
  expect(log.of('TakenOver')).toMatchObject([{ runId: id, node: 'gone', crashes: 1 }]);
  await until(() => one.stats.takenOver === 1);
});

test('[Q22] a run is handed back if the answer to its claim was lost', async () => {
  const { queue, worker, reaches, faults, log } = rig();
  let calls = 0;
  queue.register('any', { run: () => ++calls });
  const { id } = await queue.enqueue({ type: 'any' });
  faults.loseAnswers = { method: 'claim', times: 1 };
  await worker().start();
  await reaches(id, 'succeeded');
  expect(calls).toBe(1);
  expect(await queue.get(id)).toMatchObject({ attempts: 1, crashes: 0 });
  expect(log.of('Handed back a run because the response to its claim was lost')).toHaveLength(1);
});
