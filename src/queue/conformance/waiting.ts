import { expect } from 'vitest';
import { eventOf } from '../../contract/events/event-of.ts';
import { READY } from '../hint.ts';
import { failed, LEASE_MS, type Rule, refused } from './rig.ts';

/** Runs that ask a question. */
export function waitingRules(rule: Rule): void {
  const one = { caps: { types: { task: 1 }, perOwner: null } };

  rule('[A7] a run that asks frees its slot and keeps its lane', async (rig) => {
    await rig.node('node-1', { capacity: 1 });
    await rig.enqueueMany(2, { lane: 'l' });
    const other = await rig.enqueue({ lane: 'm' });
    const asking = await rig.begin({ ...one });
    expect(await rig.claim(one)).toEqual([]);
    const hint = rig.hintOf(READY);
    await rig.write(asking, { ask: true });
    await hint;
    expect(await rig.run(asking.run.id)).toMatchObject({ state: 'waiting' });
    expect(await rig.lane('l')).toMatchObject({ state: 'asking', runId: asking.run.id });
    expect((await rig.store.poll('node-1')).holds).toMatchObject([{ lane: 'l', state: 'asking' }]);
    expect(await rig.claimIds(one)).toEqual([other.id]);
    expect(await rig.write(asking, { events: [eventOf('run.progress', 1)] })).toBe(true);
  });

  rule('[A7] an answered run gets a slot back ahead of new runs, when one is free', async (rig) => {
    await rig.node('node-1', { capacity: 1 });
    const { id } = await rig.enqueue({ lane: 'a' });
    const asking = await rig.begin(one);
    await rig.write(asking, { ask: true });
    await rig.enqueueMany(3);
    const other = await rig.begin(one);
    await rig.change({ do: 'answer', run: id });
    expect(await rig.claim(one)).toEqual([]);
    expect((await rig.run(id)).state).toBe('waiting');
    await rig.end(other);
    const hint = rig.hint(({ nodes }) => nodes.includes('node-1'));
    expect(await rig.claim(one)).toEqual([]);
    await hint;
    expect((await rig.run(id)).state).toBe('running');
    expect((await rig.store.poll('node-1')).holds).toMatchObject([{ lane: 'a', state: 'running' }]);
    expect(await rig.end(asking)).toBe(true);
    expect(await rig.claim(one)).toHaveLength(1);
  });

  rule('[A7] an answered run waits for the cap of its owner too', async (rig) => {
    await rig.node();
    const caps = { types: {}, perOwner: 1 };
    const { id } = await rig.enqueue({ lane: 'a', owner: 'ann' });
    await rig.write(await rig.begin({ caps }), { ask: true });
    await rig.enqueueMany(2, { owner: 'ann' });
    const other = await rig.begin({ caps });
    await rig.change({ do: 'answer', run: id });
    expect(await rig.claim({ caps })).toEqual([]);
    expect((await rig.run(id)).state).toBe('waiting');
    await rig.end(other);
    expect(await rig.claim({ caps })).toEqual([]);
    expect((await rig.run(id)).state).toBe('running');
  });

  rule('[A7] [Q2] an answered run waits for a free slot of its node too', async (rig) => {
    await rig.node('node-1', { capacity: 1 });
    const { id } = await rig.enqueue({ lane: 'a' });
    await rig.write(await rig.begin(), { ask: true });
    await rig.enqueue();
    const other = await rig.begin();
    await rig.change({ do: 'answer', run: id });
    expect(await rig.claim()).toEqual([]);
    expect((await rig.run(id)).state).toBe('waiting');
    await rig.end(other);
    expect(await rig.claim()).toEqual([]);
    expect((await rig.run(id)).state).toBe('running');
  });

  rule('[A7] answered runs continue in the order of their answers', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(3);
    for (let i = 0; i < 3; i++) await rig.write(await rig.begin(), { ask: true });
    for (const id of ids.toReversed()) {
      await rig.change({ do: 'answer', run: id });
      rig.advance(1);
    }
    await rig.claim(one);
    const states = await Promise.all(ids.map(async (id) => (await rig.run(id)).state));
    expect(states).toEqual(['waiting', 'waiting', 'running']);
  });

  rule('[A7] a claim by another node gives the run its slot back on its own node', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2');
    const { id } = await rig.enqueue();
    const asking = await rig.begin();
    await rig.write(asking, { ask: true });
    await rig.change({ do: 'answer', run: id });
    await rig.enqueue();
    expect(await rig.claim({ ...one, nodeId: 'node-2' })).toEqual([]);
    expect((await rig.run(id)).state).toBe('running');
    expect(await rig.end(asking)).toBe(true);
  });

  rule('[A7] a run that asks again after the answer waits again', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const claimed = await rig.begin();
    for (let i = 0; i < 2; i++) {
      await rig.write(claimed, { ask: true });
      await rig.claim();
      expect((await rig.run(id)).state).toBe('waiting');
      await rig.change({ do: 'answer', run: id });
      await rig.claim();
      expect((await rig.run(id)).state).toBe('running');
    }
  });

  rule('[A7] only a waiting run can be answered', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const answer = () => rig.change({ do: 'answer', run: id });
    await expect(answer()).rejects.toEqual(refused('run_not_waiting'));
    await rig.begin();
    await expect(answer()).rejects.toEqual(refused('run_not_waiting'));
  });

  rule('[A7] a waiting run may end, fail or be cancelled', async (rig) => {
    await rig.node();
    await rig.enqueueMany(3);
    const claimed = await rig.claim();
    for (const one of claimed) await rig.write(one, { start: true, ask: true });
    const [first, second, third] = claimed;
    if (!first || !second || !third) throw new Error('three runs were expected');
    await rig.end(first);
    await rig.end(second, failed('timeout'));
    await rig.cancel(third.run.id);
    expect((await rig.run(third.run.id)).state).toBe('waiting');
    await rig.end(third, { kind: 'cancelled' });
    expect(await rig.counts()).toEqual({ succeeded: 1, retry_scheduled: 1, cancelled: 1 });
  });

  rule('[Q8] a run left waiting stays waiting until the answer queues it again', async (rig) => {
    await rig.node();
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const asking = await rig.begin();
    await rig.write(asking, { ask: true });
    expect(await rig.end(asking, { kind: 'left_waiting' })).toBe(true);
    expect(await rig.run(first)).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0 });
    expect(await rig.lane('l')).toMatchObject({ state: 'asking', nodeId: null, runId: first });
    expect(await rig.claim()).toEqual([]);
    expect(await rig.write(asking, { events: [eventOf('run.progress', 1)] })).toBe(false);
    const hint = rig.hintOf(READY);
    expect(await rig.change({ do: 'answer', run: first })).toMatchObject({ state: 'queued' });
    await hint;
    expect((await rig.eventTypes('l', first)).slice(-2)).toEqual(['run.waiting', 'run.queued']);
    const again = await rig.claimOne();
    expect(again.run).toMatchObject({ id: first, attempts: 1, crashes: 0 });
    await rig.finish(again);
    expect(await rig.claimIds()).toEqual([second]);
  });

  rule(
    '[Q8] a waiting run whose node dies stays waiting, without counting a crash',
    async (rig) => {
      await rig.node('node-1');
      const { id } = await rig.enqueue({ lane: 'l' });
      await rig.write(await rig.begin(), { ask: true });
      expect(await rig.store.takeOver(['node-1'])).toMatchObject([
        { run: id, state: 'waiting', crashes: 0 },
      ]);
      expect(await rig.run(id)).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0 });
      await rig.node('node-2');
      expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
      await rig.change({ do: 'answer', run: id });
      expect((await rig.claimOne({ nodeId: 'node-2' })).run).toMatchObject({ id, attempts: 1 });
    },
  );

  rule('[Q8] an answer given before the node died queues the run', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    await rig.write(await rig.begin(), { ask: true });
    await rig.change({ do: 'answer', run: id });
    expect(await rig.store.takeOver(['node-1'])).toMatchObject([
      { run: id, state: 'queued', crashes: 0 },
    ]);
    await rig.node('node-2');
    expect(await rig.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q8] an answered run gets no slot on a node whose lease has expired', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2', { leaseMs: 10 * LEASE_MS });
    const { id } = await rig.enqueue();
    await rig.write(await rig.begin(), { ask: true });
    rig.advance(LEASE_MS);
    await rig.change({ do: 'answer', run: id });
    expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
    expect((await rig.run(id)).state).toBe('waiting');
    expect(await rig.store.takeOver([])).toMatchObject([{ run: id, state: 'queued', crashes: 0 }]);
    expect(await rig.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q8] a waiting run handed back keeps its open question', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const asking = await rig.begin();
    await rig.write(asking, { ask: true });
    await rig.end(asking, { kind: 'handed_back', reason: 'shutdown' });
    expect(await rig.run(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await rig.claim()).toEqual([]);
  });

  rule('[Q9] cancelling a run left waiting takes effect immediately', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    const asking = await rig.begin();
    await rig.write(asking, { ask: true });
    await rig.end(asking, { kind: 'left_waiting' });
    expect((await rig.cancel(id))?.state).toBe('cancelled');
    expect(await rig.lane('l')).toMatchObject({ state: 'idle', runId: null });
  });
}
