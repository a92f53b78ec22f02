import { expect } from 'vitest';
import { type Bench, LEASE_MS, type Rule, refused, SUCCEEDED } from './rig.ts';

/** Leases and fences: who may write about an attempt. */
export function fenceRules(rule: Rule): void {
  rule('[Q6] every claim gives a greater fence', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    await b.enqueueMany(3);
    const fences = (await b.claim()).map(({ fence }) => fence);
    const first = fences[0] as number;
    expect(fences).toEqual([first, first + 1, first + 2, first + 3]);
    expect(first).toBeGreaterThan(0);
    await b.enqueue({ lane: 'l2' });
    expect((await b.claimOne()).fence).toBeGreaterThan(fences.at(-1) as number);
  });

  rule('[Q6] a write with an old fence changes nothing and says so', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    await b.enqueue({ lane: 'l' });
    const old = await b.begin();
    await b.store.takeOver(['node-1']);
    const now = await b.begin({ nodeId: 'node-2' });
    expect(now.fence).toBeGreaterThan(old.fence);
    const before = await snapshot(b, 'l', old.run.id);
    for (const write of [
      { start: true },
      { events: [{ type: 'run.progress', payload: 1 }] },
      { commit: SUCCEEDED },
      { ask: true },
      { end: { outcome: SUCCEEDED, retryDelayMs: 0 } },
    ]) {
      expect(await b.write(old, write)).toBe(false);
    }
    expect(await snapshot(b, 'l', old.run.id)).toEqual(before);
    expect(await b.end(now)).toBe(true);
  });

  rule('[Q22] a write that comes again because its answer was lost is done once', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    const claimed = await b.claimOne();
    const writes = [
      { no: 1, start: true, events: [{ type: 'run.progress', payload: 1 }] },
      { no: 2, events: [{ type: 'run.progress', payload: 2 }] },
    ];
    for (const write of [...writes, ...writes]) expect(await b.write(claimed, write)).toBe(true);
    const progress = (await b.store.listAfter('l', 0, 100)).filter(
      (e) => e.type === 'run.progress',
    );
    expect(progress.map(({ payload }) => payload)).toEqual([1, 2]);
    expect(await b.write(claimed, { no: 3, end: { outcome: SUCCEEDED, retryDelayMs: 0 } })).toBe(
      true,
    );
    await b.enqueue({ lane: 'l' });
    const next = await b.claimOne();
    expect(await b.write(next, { no: 1, start: true })).toBe(true);
    expect((await b.run(next.run.id)).state).toBe('running');
  });

  rule('[Q6] an attempt that ended can write nothing more', async (b) => {
    await b.node();
    await b.enqueueMany(2, { lane: 'l' });
    const claimed = await b.begin();
    await b.end(claimed);
    const before = await snapshot(b, 'l', claimed.run.id);
    expect(await b.write(claimed, { events: [{ type: 'run.progress', payload: 1 }] })).toBe(false);
    expect(await b.end(claimed)).toBe(false);
    expect(await snapshot(b, 'l', claimed.run.id)).toEqual(before);
  });

  rule('[Q6] a lane deleted and made again does not match an old fence', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    await b.enqueue({ lane: 'l' });
    const old = await b.begin();
    await b.cancel(old.run.id);
    await b.store.takeOver(['node-1']);
    b.advance(1);
    expect(await b.store.purge({ before: b.now, limit: 10 })).toEqual({ runs: 1, lanes: 1 });
    expect(await b.store.getLane('l')).toBeNull();
    expect(await b.end(old)).toBe(false);
    await b.enqueue({ lane: 'l' });
    const fresh = await b.begin({ nodeId: 'node-2' });
    expect(fresh.fence).toBeGreaterThan(old.fence);
    expect(await b.end(old)).toBe(false);
    expect((await b.run(fresh.run.id)).state).toBe('running');
  });

  rule('[Q6] fence 0 and unknown lanes are refused', async (b) => {
    await b.enqueue({ lane: 'l' });
    const writes = [
      { lane: 'l', fence: 0, start: true },
      { lane: 'nowhere', fence: 1, start: true },
    ];
    expect(await b.store.write(writes)).toEqual([false, false]);
    expect(await b.eventTypes('l')).toEqual(['run.queued']);
  });

  rule('[Q6] writes of one call are answered one by one', async (b) => {
    await b.node();
    await b.enqueueMany(3);
    const claimed = await b.claim();
    const writes = claimed.map(({ run, fence }, i) => ({
      lane: run.lane,
      fence: i === 1 ? fence + 100 : fence,
      start: true,
      end: { outcome: SUCCEEDED, retryDelayMs: 0 },
    }));
    expect(await b.store.write(writes)).toEqual([true, false, true]);
    expect(await b.counts()).toEqual({ succeeded: 2, dequeued: 1 });
  });

  rule('[Q6] a node whose lease has ended cannot claim and is not revived', async (b) => {
    await b.node('node-1');
    await b.enqueue();
    b.advance(LEASE_MS - 1);
    expect(await b.store.renew('node-1', LEASE_MS)).toBe(true);
    b.advance(LEASE_MS);
    await expect(b.claim()).rejects.toEqual(refused('node_lost'));
    expect(await b.store.renew('node-1', LEASE_MS)).toBe(false);
    await expect(b.claim()).rejects.toEqual(refused('node_lost'));
    expect(await b.counts()).toEqual({ queued: 1 });
  });

  rule('[Q6] a node that never joined, or left, cannot claim', async (b) => {
    await expect(b.claim({ nodeId: 'nobody' })).rejects.toEqual(refused('node_lost'));
    expect(await b.store.renew('nobody', LEASE_MS)).toBe(false);
    await b.node('node-1');
    await b.store.leave('node-1');
    await expect(b.claim()).rejects.toEqual(refused('node_lost'));
  });

  rule('[Q6] one renewal keeps everything the node runs', async (b) => {
    await b.node('node-1');
    await b.enqueueMany(3);
    const claimed = await b.claim();
    for (let i = 0; i < 5; i++) {
      b.advance(LEASE_MS - 1);
      expect(await b.store.renew('node-1', LEASE_MS)).toBe(true);
      expect(await b.store.takeOver([])).toEqual([]);
    }
    for (const one of claimed) expect(await b.finish(one)).toBe(true);
  });

  rule('[Q6] a node sees what it holds, and what was taken away', async (b) => {
    await b.node('node-1');
    await b.node('node-2', { host: 'host-2' });
    await b.enqueueMany(2);
    const [one, two] = await b.claim();
    const holds = async () =>
      (await b.store.poll('node-1')).holds.map(({ lane, fence }) => ({ lane, fence }));
    const held = (claimed: typeof one) => ({ lane: claimed?.run.lane, fence: claimed?.fence });
    expect(await holds()).toEqual(expect.arrayContaining([held(one), held(two)]));
    await b.finish(one as NonNullable<typeof one>);
    expect(await holds()).toEqual([held(two)]);
    await b.store.takeOver(['node-1']);
    expect(await holds()).toEqual([]);
  });
}

/** All that a reader can see of a lane and a run. */
const snapshot = async (b: Bench, lane: string, run: string) => ({
  lane: await b.lane(lane),
  run: await b.run(run),
  events: await b.store.listAfter(lane, 0, 1000),
  counts: await b.counts(),
});
