import { expect } from 'vitest';
import { failed, LEASE_MS, type Rig, type Rule, SUCCEEDED } from './rig.ts';

/** The runs of a node that is gone. */
export function crashRules(rule: Rule): void {
  rule('[Q7] a dead node is taken over when its lease expires, not before', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2', { leaseMs: 10 * LEASE_MS });
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.begin();
    rig.advance(LEASE_MS - 1);
    expect(await rig.store.takeOver([])).toEqual([]);
    rig.advance(1);
    expect(await rig.store.takeOver([])).toEqual([
      { run: id, lane: 'l', node: 'node-1', state: 'queued', crashes: 1 },
    ]);
    expect((await rig.store.listNodes()).map((node) => node.id)).toEqual(['node-2']);
    expect((await rig.claimOne({ nodeId: 'node-2' })).run).toMatchObject({ id, crashes: 1 });
    expect(await rig.store.takeOver([])).toEqual([]);
  });

  rule('[Q7] a node proven dead is taken over immediately, others are not', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2');
    await rig.enqueueMany(2);
    const one = await rig.begin({ nodeId: 'node-1' });
    const two = await rig.begin({ nodeId: 'node-2' });
    const takenOver = await rig.store.takeOver(['node-1', 'never-was']);
    expect(takenOver.map(({ run }) => run)).toEqual([one.run.id]);
    expect(await rig.end(two)).toBe(true);
    expect((await rig.run(one.run.id)).state).toBe('queued');
  });

  rule('[Q7] a crash counts as a crash and not as an attempt', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue({ maxAttempts: 1 });
    await rig.begin();
    expect(await rig.run(id)).toMatchObject({ attempts: 1, crashes: 0 });
    await rig.store.takeOver(['node-1']);
    expect(await rig.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 1 });
    await rig.node('node-2');
    await rig.begin({ nodeId: 'node-2' });
    expect(await rig.run(id)).toMatchObject({ state: 'running', attempts: 1, crashes: 1 });
  });

  rule('[Q7] the third crash ends the run as dead, with class poisoned', async (rig) => {
    const { id } = await rig.enqueue({ lane: 'l' });
    const next = await rig.enqueue({ lane: 'l' });
    for (const state of ['queued', 'queued', 'dead']) {
      const nodeId = await rig.node(`node-${state}-${rig.now}`);
      await rig.begin({ nodeId });
      const [takenOver] = await rig.store.takeOver([nodeId]);
      expect(takenOver).toMatchObject({ run: id, state });
      rig.advance(1);
    }
    expect(await rig.run(id)).toMatchObject({
      state: 'dead',
      crashes: 3,
      attempts: 0,
      error: { class: 'poisoned' },
    });
    await rig.node();
    expect(await rig.claimIds()).toEqual([next.id]);
  });

  rule('[Q7] a run claimed but not started is taken over too', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    await rig.claimOne();
    await rig.store.takeOver(['node-1']);
    expect(await rig.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 1 });
  });

  rule('[Q7] a run taken over keeps the head of its lane', async (rig) => {
    await rig.node('node-1');
    const ids = await rig.enqueueMany(3, { lane: 'l' });
    await rig.begin();
    await rig.store.takeOver(['node-1']);
    await rig.node('node-2');
    const order: string[] = [];
    for (let i = 0; i < 3; i++) {
      const claimed = await rig.claimOne({ nodeId: 'node-2' });
      order.push(claimed.run.id);
      await rig.finish(claimed);
    }
    expect(order).toEqual(ids);
  });

  rule('[Q7] a run with a requested cancel ends cancelled when its node dies', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    await rig.begin();
    await rig.cancel(id);
    expect(await rig.store.takeOver(['node-1'])).toMatchObject([{ run: id, state: 'cancelled' }]);
    expect(await rig.run(id)).toMatchObject({ state: 'cancelled', crashes: 0 });
  });

  rule('[Q7] a node that leaves gives up its runs', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    const claimed = await rig.begin();
    await rig.store.leave('node-1');
    expect(await rig.run(id)).toMatchObject({ state: 'queued', crashes: 1 });
    expect(await rig.store.listNodes()).toEqual([]);
    expect(await rig.end(claimed)).toBe(false);
    await rig.store.leave('node-1');
  });

  rule('[Q7] a node sees the nodes on its host and those whose lease has expired', async (rig) => {
    await rig.node('node-1', { leaseMs: 10 * LEASE_MS });
    await rig.node('same-host', { leaseMs: 10 * LEASE_MS });
    await rig.node('far', { host: 'host-2', leaseMs: 10 * LEASE_MS });
    await rig.node('far-away', { host: 'host-2' });
    const seen = async () =>
      Object.fromEntries((await rig.store.poll('node-1')).nodes.map((n) => [n.id, n.expired]));
    expect(await seen()).toEqual({ 'same-host': false });
    rig.advance(LEASE_MS);
    expect(await seen()).toEqual({ 'same-host': false, 'far-away': true });
  });

  rule('[Q10] a run with a committed result ends with it when its node dies', async (rig) => {
    const { id } = await crashAfter(rig, { commit: { kind: 'succeeded', result: { n: 1 } } });
    expect(await rig.run(id)).toMatchObject({ state: 'succeeded', result: { n: 1 }, crashes: 0 });
    await rig.node('node-2');
    expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
  });

  rule('[Q10] a committed failure counts like any other when its node dies', async (rig) => {
    const final = await crashAfter(rig, { commit: failed('invalid_request', 'bad') });
    expect(await rig.run(final.id)).toMatchObject({
      state: 'failed',
      error: { class: 'invalid_request', message: 'bad' },
    });
    const again = await crashAfter(rig, { commit: failed('timeout') });
    expect(await rig.run(again.id)).toMatchObject({ state: 'retry_scheduled', crashes: 0 });
  });

  rule('[Q10] a committed success wins over a requested cancel', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    const claimed = await rig.begin();
    await rig.write(claimed, { commit: SUCCEEDED });
    await rig.cancel(id);
    await rig.store.takeOver(['node-1']);
    expect((await rig.run(id)).state).toBe('succeeded');
  });
}

async function crashAfter(rig: Rig, write: Parameters<Rig['write']>[1]): Promise<{ id: string }> {
  await rig.node('node-1');
  const { id } = await rig.enqueue();
  const claimed = await rig.begin();
  await rig.write(claimed, write);
  await rig.store.takeOver(['node-1']);
  return { id };
}
