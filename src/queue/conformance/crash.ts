import { expect } from 'vitest';
import { type Bench, failed, LEASE_MS, type Rule, SUCCEEDED } from './rig.ts';

/** What becomes of the runs of a node that is gone. */
export function crashRules(rule: Rule): void {
  rule('[Q7] a dead node is taken over when its lease ends, not before', async (b) => {
    await b.node('node-1');
    await b.node('node-2', { leaseMs: 10 * LEASE_MS });
    const { id } = await b.enqueue({ lane: 'l' });
    await b.begin();
    b.advance(LEASE_MS - 1);
    expect(await b.store.takeOver([])).toEqual([]);
    b.advance(1);
    expect(await b.store.takeOver([])).toEqual([
      { run: id, lane: 'l', node: 'node-1', state: 'queued', crashes: 1 },
    ]);
    expect((await b.store.listNodes()).map((node) => node.id)).toEqual(['node-2']);
    expect((await b.claimOne({ nodeId: 'node-2' })).run).toMatchObject({ id, crashes: 1 });
    expect(await b.store.takeOver([])).toEqual([]);
  });

  rule('[Q7] a node proven dead is taken over at once, others are left alone', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    await b.enqueueMany(2);
    const one = await b.begin({ nodeId: 'node-1' });
    const two = await b.begin({ nodeId: 'node-2' });
    const takenOver = await b.store.takeOver(['node-1', 'never-was']);
    expect(takenOver.map(({ run }) => run)).toEqual([one.run.id]);
    expect(await b.end(two)).toBe(true);
    expect((await b.run(one.run.id)).state).toBe('queued');
  });

  rule('[Q7] a crash counts as a crash and not as an attempt', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue({ maxAttempts: 1 });
    await b.begin();
    expect(await b.run(id)).toMatchObject({ attempts: 1, crashes: 0 });
    await b.store.takeOver(['node-1']);
    expect(await b.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 1 });
    await b.node('node-2');
    await b.begin({ nodeId: 'node-2' });
    expect(await b.run(id)).toMatchObject({ state: 'running', attempts: 1, crashes: 1 });
  });

  rule('[Q7] the third crash ends the run as dead, with class poisoned', async (b) => {
    const { id } = await b.enqueue({ lane: 'l' });
    const next = await b.enqueue({ lane: 'l' });
    for (const state of ['queued', 'queued', 'dead']) {
      const nodeId = await b.node(`node-${state}-${b.now}`);
      await b.begin({ nodeId });
      const [takenOver] = await b.store.takeOver([nodeId]);
      expect(takenOver).toMatchObject({ run: id, state });
      b.advance(1);
    }
    expect(await b.run(id)).toMatchObject({
      state: 'dead',
      crashes: 3,
      attempts: 0,
      error: { class: 'poisoned' },
    });
    await b.node();
    expect(await b.claimIds()).toEqual([next.id]);
  });

  rule('[Q7] a run claimed but not started is taken over too', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    await b.claimOne();
    await b.store.takeOver(['node-1']);
    expect(await b.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 1 });
  });

  rule('[Q7] a run taken over keeps the head of its lane', async (b) => {
    await b.node('node-1');
    const ids = await b.enqueueMany(3, { lane: 'l' });
    await b.begin();
    await b.store.takeOver(['node-1']);
    await b.node('node-2');
    const order: string[] = [];
    for (let i = 0; i < 3; i++) {
      const claimed = await b.claimOne({ nodeId: 'node-2' });
      order.push(claimed.run.id);
      await b.finish(claimed);
    }
    expect(order).toEqual(ids);
  });

  rule('[Q7] a run that was to be cancelled when its node died ends cancelled', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    await b.begin();
    await b.cancel(id);
    expect(await b.store.takeOver(['node-1'])).toMatchObject([{ run: id, state: 'cancelled' }]);
    expect(await b.run(id)).toMatchObject({ state: 'cancelled', crashes: 0 });
  });

  rule('[Q7] a node that leaves gives up what it holds', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    const claimed = await b.begin();
    await b.store.leave('node-1');
    expect(await b.run(id)).toMatchObject({ state: 'queued', crashes: 1 });
    expect(await b.store.listNodes()).toEqual([]);
    expect(await b.end(claimed)).toBe(false);
    await b.store.leave('node-1');
  });

  rule('[Q7] a node sees its neighbours and those whose lease has ended', async (b) => {
    await b.node('node-1', { leaseMs: 10 * LEASE_MS });
    await b.node('same-host', { leaseMs: 10 * LEASE_MS });
    await b.node('far', { host: 'host-2', leaseMs: 10 * LEASE_MS });
    await b.node('far-away', { host: 'host-2' });
    const seen = async () =>
      Object.fromEntries((await b.store.poll('node-1')).nodes.map((n) => [n.id, n.expired]));
    expect(await seen()).toEqual({ 'same-host': false });
    b.advance(LEASE_MS);
    expect(await seen()).toEqual({ 'same-host': false, 'far-away': true });
  });

  rule('[Q10] a run whose result is stored ends from it when its node dies', async (b) => {
    const { id } = await crashAfter(b, { commit: { kind: 'succeeded', result: { n: 1 } } });
    expect(await b.run(id)).toMatchObject({ state: 'succeeded', result: { n: 1 }, crashes: 0 });
    await b.node('node-2');
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
  });

  rule('[Q10] a stored failure counts like any other when its node dies', async (b) => {
    const final = await crashAfter(b, { commit: failed('invalid_request', 'bad') });
    expect(await b.run(final.id)).toMatchObject({
      state: 'failed',
      error: { class: 'invalid_request', message: 'bad' },
    });
    const again = await crashAfter(b, { commit: failed('timeout') });
    expect(await b.run(again.id)).toMatchObject({ state: 'retry_scheduled', crashes: 0 });
  });

  rule('[Q10] a stored success wins over a wish to cancel', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    const claimed = await b.begin();
    await b.write(claimed, { commit: SUCCEEDED });
    await b.cancel(id);
    await b.store.takeOver(['node-1']);
    expect((await b.run(id)).state).toBe('succeeded');
  });
}

async function crashAfter(b: Bench, write: Parameters<Bench['write']>[1]): Promise<{ id: string }> {
  await b.node('node-1');
  const { id } = await b.enqueue();
  const claimed = await b.begin();
  await b.write(claimed, write);
  await b.store.takeOver(['node-1']);
  return { id };
}
