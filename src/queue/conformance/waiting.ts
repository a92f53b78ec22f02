import { expect } from 'vitest';
import { failed, LEASE_MS, type Rule, refused } from './rig.ts';

/** Runs that ask a question. */
export function waitingRules(rule: Rule): void {
  const one = { caps: { types: { task: 1 }, perOwner: null } };

  rule('[A7] a run that asks frees its slot and keeps its lane', async (b) => {
    await b.node('node-1', { capacity: 1 });
    await b.enqueueMany(2, { lane: 'l' });
    const other = await b.enqueue({ lane: 'm' });
    const asking = await b.begin({ ...one });
    expect(await b.claim(one)).toEqual([]);
    const hint = b.hint(({ ready }) => ready);
    await b.write(asking, { ask: true });
    await hint;
    expect(await b.run(asking.run.id)).toMatchObject({ state: 'waiting' });
    expect(await b.lane('l')).toMatchObject({ state: 'asking', runId: asking.run.id });
    expect((await b.store.poll('node-1')).holds).toMatchObject([{ lane: 'l', state: 'asking' }]);
    expect(await b.claimIds(one)).toEqual([other.id]);
    expect(await b.write(asking, { events: [{ type: 'agent.notice', payload: 1 }] })).toBe(true);
  });

  rule('[A7] an answered run gets a slot back ahead of new runs, when one is free', async (b) => {
    await b.node('node-1', { capacity: 1 });
    const { id } = await b.enqueue({ lane: 'a' });
    const asking = await b.begin(one);
    await b.write(asking, { ask: true });
    await b.enqueueMany(3);
    const other = await b.begin(one);
    await b.change({ do: 'answer', run: id });
    expect(await b.claim(one)).toEqual([]);
    expect((await b.run(id)).state).toBe('waiting');
    await b.end(other);
    const hint = b.hint(({ nodes }) => nodes.includes('node-1'));
    expect(await b.claim(one)).toEqual([]);
    await hint;
    expect((await b.run(id)).state).toBe('running');
    expect((await b.store.poll('node-1')).holds).toMatchObject([{ lane: 'a', state: 'running' }]);
    expect(await b.end(asking)).toBe(true);
    expect(await b.claim(one)).toHaveLength(1);
  });

  rule('[A7] an answered run waits for the cap of its owner too', async (b) => {
    await b.node();
    const caps = { types: {}, perOwner: 1 };
    const { id } = await b.enqueue({ lane: 'a', owner: 'ann' });
    await b.write(await b.begin({ caps }), { ask: true });
    await b.enqueueMany(2, { owner: 'ann' });
    const other = await b.begin({ caps });
    await b.change({ do: 'answer', run: id });
    expect(await b.claim({ caps })).toEqual([]);
    expect((await b.run(id)).state).toBe('waiting');
    await b.end(other);
    expect(await b.claim({ caps })).toEqual([]);
    expect((await b.run(id)).state).toBe('running');
  });

  rule('[A7] answered runs go on in the order of their answers', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(3);
    for (let i = 0; i < 3; i++) await b.write(await b.begin(), { ask: true });
    for (const id of ids.toReversed()) {
      await b.change({ do: 'answer', run: id });
      b.advance(1);
    }
    await b.claim(one);
    const states = await Promise.all(ids.map(async (id) => (await b.run(id)).state));
    expect(states).toEqual(['waiting', 'waiting', 'running']);
  });

  rule('[A7] a claim of another node gives the slot back where the run is', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    const { id } = await b.enqueue();
    const asking = await b.begin();
    await b.write(asking, { ask: true });
    await b.change({ do: 'answer', run: id });
    await b.enqueue();
    expect(await b.claim({ ...one, nodeId: 'node-2' })).toEqual([]);
    expect((await b.run(id)).state).toBe('running');
    expect(await b.end(asking)).toBe(true);
  });

  rule('[A7] asking again after the answer waits again', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const claimed = await b.begin();
    for (let i = 0; i < 2; i++) {
      await b.write(claimed, { ask: true });
      await b.claim();
      expect((await b.run(id)).state).toBe('waiting');
      await b.change({ do: 'answer', run: id });
      await b.claim();
      expect((await b.run(id)).state).toBe('running');
    }
  });

  rule('[A7] only a waiting run can be answered', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const answer = () => b.change({ do: 'answer', run: id });
    await expect(answer()).rejects.toEqual(refused('run_not_waiting'));
    await b.begin();
    await expect(answer()).rejects.toEqual(refused('run_not_waiting'));
  });

  rule('[A7] a waiting run may end, fail or be cancelled', async (b) => {
    await b.node();
    await b.enqueueMany(3);
    const claimed = await b.claim();
    for (const one of claimed) await b.write(one, { start: true, ask: true });
    const [first, second, third] = claimed;
    if (!first || !second || !third) throw new Error('three runs were expected');
    await b.end(first);
    await b.end(second, failed('timeout'));
    await b.cancel(third.run.id);
    expect((await b.run(third.run.id)).state).toBe('waiting');
    await b.end(third, { kind: 'cancelled' });
    expect(await b.counts()).toEqual({ succeeded: 1, retry_scheduled: 1, cancelled: 1 });
  });

  rule('[Q8] a run left waiting stays so until the answer queues it again', async (b) => {
    await b.node();
    const [first, second] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const asking = await b.begin();
    await b.write(asking, { ask: true });
    expect(await b.end(asking, { kind: 'left_waiting' })).toBe(true);
    expect(await b.run(first)).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0 });
    expect(await b.lane('l')).toMatchObject({ state: 'asking', nodeId: null, runId: first });
    expect(await b.claim()).toEqual([]);
    expect(await b.write(asking, { events: [{ type: 'run.progress', payload: 1 }] })).toBe(false);
    const hint = b.hint(({ ready }) => ready);
    expect(await b.change({ do: 'answer', run: first })).toMatchObject({ state: 'queued' });
    await hint;
    const again = await b.claimOne();
    expect(again.run).toMatchObject({ id: first, attempts: 1, crashes: 0 });
    await b.finish(again);
    expect(await b.claimIds()).toEqual([second]);
  });

  rule('[Q8] a waiting run whose node dies stays waiting, counting no crash', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue({ lane: 'l' });
    await b.write(await b.begin(), { ask: true });
    expect(await b.store.takeOver(['node-1'])).toMatchObject([
      { run: id, state: 'waiting', crashes: 0 },
    ]);
    expect(await b.run(id)).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0 });
    await b.node('node-2');
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
    await b.change({ do: 'answer', run: id });
    expect((await b.claimOne({ nodeId: 'node-2' })).run).toMatchObject({ id, attempts: 1 });
  });

  rule('[Q8] an answer that came before the node died queues the run', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    await b.write(await b.begin(), { ask: true });
    await b.change({ do: 'answer', run: id });
    expect(await b.store.takeOver(['node-1'])).toMatchObject([
      { run: id, state: 'queued', crashes: 0 },
    ]);
    await b.node('node-2');
    expect(await b.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q8] an answered run gets no slot on a node whose lease has ended', async (b) => {
    await b.node('node-1');
    await b.node('node-2', { leaseMs: 10 * LEASE_MS });
    const { id } = await b.enqueue();
    await b.write(await b.begin(), { ask: true });
    b.advance(LEASE_MS);
    await b.change({ do: 'answer', run: id });
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
    expect((await b.run(id)).state).toBe('waiting');
    expect(await b.store.takeOver([])).toMatchObject([{ run: id, state: 'queued', crashes: 0 }]);
    expect(await b.claimIds({ nodeId: 'node-2' })).toEqual([id]);
  });

  rule('[Q8] a waiting run handed back keeps its open question', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const asking = await b.begin();
    await b.write(asking, { ask: true });
    await b.end(asking, { kind: 'handed_back', reason: 'shutdown' });
    expect(await b.run(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(await b.claim()).toEqual([]);
  });

  rule('[Q9] cancel of a run left waiting is final at once', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    const asking = await b.begin();
    await b.write(asking, { ask: true });
    await b.end(asking, { kind: 'left_waiting' });
    expect((await b.cancel(id))?.state).toBe('cancelled');
    expect(await b.lane('l')).toMatchObject({ state: 'idle', runId: null });
  });
}
