import { expect } from 'vitest';
import { eventOf } from '../../contract/events/event-of.ts';
import { LEASE_MS, type Rig, type Rule, refused, SUCCEEDED } from './rig.ts';

/** Leases and fences: who may write about an attempt. */
export function fenceRules(rule: Rule): void {
  rule('[Q6] every claim gets a greater fence', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    await rig.enqueueMany(3);
    const fences = (await rig.claim()).map(({ fence }) => fence);
    const first = fences[0] as number;
    expect(fences).toEqual([first, first + 1, first + 2, first + 3]);
    expect(first).toBeGreaterThan(0);
    await rig.enqueue({ lane: 'l2' });
    expect((await rig.claimOne()).fence).toBeGreaterThan(fences.at(-1) as number);
  });

  rule('[Q6] a write with an outdated fence changes nothing and is refused', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2');
    await rig.enqueue({ lane: 'l' });
    const old = await rig.begin();
    await rig.store.takeOver(['node-1']);
    const now = await rig.begin({ nodeId: 'node-2' });
    expect(now.fence).toBeGreaterThan(old.fence);
    const before = await snapshot(rig, 'l', old.run.id);
    for (const write of [
      { start: true },
      { events: [eventOf('run.progress', 1)] },
      { commit: SUCCEEDED },
      { ask: true },
      { end: { outcome: SUCCEEDED, retryDelayMs: 0 } },
    ]) {
      expect(await rig.write(old, write)).toBe(false);
    }
    expect(await snapshot(rig, 'l', old.run.id)).toEqual(before);
    expect(await rig.end(now)).toBe(true);
  });

  rule('[Q22] a write repeated because its answer was lost is applied once', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    const claimed = await rig.claimOne();
    const writes = [
      { no: 1, start: true, events: [eventOf('run.progress', 1)] },
      { no: 2, events: [eventOf('run.progress', 2)] },
    ];
    for (const write of [...writes, ...writes]) expect(await rig.write(claimed, write)).toBe(true);
    const progress = (await rig.store.listAfter('l', 0, 100)).filter(
      (e) => e.type === 'run.progress',
    );
    expect(progress.map(({ payload }) => payload)).toEqual([1, 2]);
    expect(await rig.write(claimed, { no: 3, end: { outcome: SUCCEEDED, retryDelayMs: 0 } })).toBe(
      true,
    );
    await rig.enqueue({ lane: 'l' });
    const next = await rig.claimOne();
    expect(await rig.write(next, { no: 1, start: true })).toBe(true);
    expect((await rig.run(next.run.id)).state).toBe('running');
  });

  rule('[Q6] an attempt that has ended can write nothing more', async (rig) => {
    await rig.node();
    await rig.enqueueMany(2, { lane: 'l' });
    const claimed = await rig.begin();
    await rig.end(claimed);
    const before = await snapshot(rig, 'l', claimed.run.id);
    expect(await rig.write(claimed, { events: [eventOf('run.progress', 1)] })).toBe(false);
    expect(await rig.end(claimed)).toBe(false);
    expect(await snapshot(rig, 'l', claimed.run.id)).toEqual(before);
  });

  rule(
    '[Q6] an outdated fence does not match a lane that was deleted and created again',
    async (rig) => {
      await rig.node('node-1');
      await rig.node('node-2');
      await rig.enqueue({ lane: 'l' });
      const old = await rig.begin();
      await rig.cancel(old.run.id);
      await rig.store.takeOver(['node-1']);
      rig.advance(1);
      expect(await rig.store.purge({ before: rig.now, limit: 10 })).toEqual({ runs: 1, lanes: 1 });
      expect(await rig.store.getLane('l')).toBeNull();
      expect(await rig.end(old)).toBe(false);
      await rig.enqueue({ lane: 'l' });
      const fresh = await rig.begin({ nodeId: 'node-2' });
      expect(fresh.fence).toBeGreaterThan(old.fence);
      expect(await rig.end(old)).toBe(false);
      expect((await rig.run(fresh.run.id)).state).toBe('running');
    },
  );

  rule('[Q6] fence 0 and unknown lanes are refused', async (rig) => {
    await rig.enqueue({ lane: 'l' });
    const writes = [
      { lane: 'l', fence: 0, start: true },
      { lane: 'nowhere', fence: 1, start: true },
    ];
    expect(await rig.store.write(writes)).toEqual([false, false]);
    expect(await rig.eventTypes('l')).toEqual(['run.queued']);
  });

  rule('[Q6] writes of one call are answered one by one', async (rig) => {
    await rig.node();
    await rig.enqueueMany(3);
    const claimed = await rig.claim();
    const writes = claimed.map(({ run, fence }, i) => ({
      lane: run.lane,
      fence: i === 1 ? fence + 100 : fence,
      start: true,
      end: { outcome: SUCCEEDED, retryDelayMs: 0 },
    }));
    expect(await rig.store.write(writes)).toEqual([true, false, true]);
    expect(await rig.counts()).toEqual({ succeeded: 2, dequeued: 1 });
  });

  rule('[Q6] a node whose lease has expired cannot claim and is not revived', async (rig) => {
    await rig.node('node-1');
    await rig.enqueue();
    rig.advance(LEASE_MS - 1);
    expect(await rig.store.renew('node-1', LEASE_MS)).toBe(true);
    rig.advance(LEASE_MS);
    await expect(rig.claim()).rejects.toEqual(refused('node_lost'));
    expect(await rig.store.renew('node-1', LEASE_MS)).toBe(false);
    await expect(rig.claim()).rejects.toEqual(refused('node_lost'));
    expect(await rig.counts()).toEqual({ queued: 1 });
  });

  rule('[Q6] a node that never joined, or left, cannot claim', async (rig) => {
    await expect(rig.claim({ nodeId: 'nobody' })).rejects.toEqual(refused('node_lost'));
    expect(await rig.store.renew('nobody', LEASE_MS)).toBe(false);
    await rig.node('node-1');
    await rig.store.leave('node-1');
    await expect(rig.claim()).rejects.toEqual(refused('node_lost'));
  });

  rule('[Q6] one renewal keeps everything the node runs', async (rig) => {
    await rig.node('node-1');
    await rig.enqueueMany(3);
    const claimed = await rig.claim();
    for (let i = 0; i < 5; i++) {
      rig.advance(LEASE_MS - 1);
      expect(await rig.store.renew('node-1', LEASE_MS)).toBe(true);
      expect(await rig.store.takeOver([])).toEqual([]);
    }
    for (const one of claimed) expect(await rig.finish(one)).toBe(true);
  });

  rule('[Q6] a node sees which lanes it holds, and which were taken from it', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2', { host: 'host-2' });
    await rig.enqueueMany(2);
    const [one, two] = await rig.claim();
    const holds = async () =>
      (await rig.store.poll('node-1')).holds.map(({ lane, fence }) => ({ lane, fence }));
    const held = (claimed: typeof one) => ({ lane: claimed?.run.lane, fence: claimed?.fence });
    expect(await holds()).toEqual(expect.arrayContaining([held(one), held(two)]));
    await rig.finish(one as NonNullable<typeof one>);
    expect(await holds()).toEqual([held(two)]);
    await rig.store.takeOver(['node-1']);
    expect(await holds()).toEqual([]);
  });
}

/** Everything that a reader can see about a lane and a run. */
const snapshot = async (rig: Rig, lane: string, run: string) => ({
  lane: await rig.lane(lane),
  run: await rig.run(run),
  events: await rig.store.listAfter(lane, 0, 1000),
  counts: await rig.counts(),
});
