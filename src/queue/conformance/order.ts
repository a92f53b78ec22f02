import { expect } from 'vitest';
import { admission, type Rule, refused } from './rig.ts';

/** Order within a lane, and runs that are not due yet. */
export function orderRules(rule: Rule): void {
  rule('[Q1] runs of a lane start in the order they were admitted', async (rig) => {
    await rig.node();
    const ids = await rig.enqueueMany(5, { lane: 'l' });
    const started: string[] = [];
    for (let i = 0; i < 5; i++) {
      const claimed = await rig.claimOne();
      started.push(claimed.run.id);
      await rig.finish(claimed);
    }
    expect(started).toEqual(ids);
    expect(await rig.claim()).toEqual([]);
  });

  rule('[Q1] a lane hands out one run at a time, to any node', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2');
    await rig.enqueueMany(3, { lane: 'l' });
    const first = await rig.begin();
    expect(await rig.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
    await rig.end(first);
    expect(await rig.claim({ nodeId: 'node-2' })).toHaveLength(1);
    expect(await rig.claim({ nodeId: 'node-1' })).toEqual([]);
  });

  rule('[Q1] lanes do not wait for each other', async (rig) => {
    await rig.node();
    const a = await rig.enqueueMany(2, { lane: 'a' });
    const c = await rig.enqueueMany(2, { lane: 'c' });
    const single = await rig.enqueueMany(2);
    const claimed = await rig.claimIds();
    expect(new Set(claimed)).toEqual(new Set([a[0], c[0], ...single]));
  });

  rule('[Q1] a run without a lane gets its own lane, named by the run id', async (rig) => {
    const receipt = await rig.enqueue();
    expect(receipt).toMatchObject({ lane: receipt.id, state: 'queued', position: 0, known: false });
    expect(await rig.lane(receipt.id)).toMatchObject({
      state: 'ready',
      queued: 1,
      headType: 'task',
    });
  });

  rule('[Q1] when two nodes claim concurrently, each run goes to one of them', async (rig) => {
    const nodes = [await rig.node('node-1'), await rig.node('node-2'), await rig.node('node-3')];
    const ids = await rig.enqueueMany(30);
    const lane = await rig.enqueueMany(5, { lane: 'l' });
    const claims = Array.from({ length: 12 }, (_, i) =>
      rig.claim({ nodeId: nodes[i % 3] as string, limit: 5 }),
    );
    const claimed = (await Promise.all(claims)).flat();
    expect(claimed.map(({ run }) => run.id).sort()).toEqual([...ids, lane[0]].sort());
    expect(new Set(claimed.map(({ fence }) => fence)).size).toBe(31);
  });

  rule('[Q1] a run waiting for its retry stays at the head of its lane', async (rig) => {
    await rig.node();
    const [first, second] = await rig.enqueueMany(2, { lane: 'l' });
    const claimed = await rig.begin();
    await rig.end(claimed, { kind: 'failed', error: { class: 'timeout', message: '' } }, 5000);
    expect((await rig.run(first as string)).state).toBe('retry_scheduled');
    expect(await rig.claim()).toEqual([]);
    rig.advance(5000);
    const again = await rig.claimOne();
    expect(again.run.id).toBe(first);
    await rig.finish(again);
    expect((await rig.claimOne()).run.id).toBe(second);
  });

  rule('[Q3] [R014] no retry starts before its time', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    const claimed = await rig.begin();
    await rig.end(claimed, { kind: 'failed', error: { class: 'timeout', message: '' } }, 5000);
    expect(await rig.run(claimed.run.id)).toMatchObject({ nextRunAt: rig.now + 5000 });
    expect((await rig.store.poll('node-1')).nextDueMs).toBe(5000);
    rig.advance(4999);
    expect(await rig.claim()).toEqual([]);
    rig.advance(1);
    const again = await rig.claimOne();
    expect(again.run).toMatchObject({ id: claimed.run.id, nextRunAt: null, attempts: 2 });
  });

  rule(
    '[Q3] a run with runAt joins its lane when it is due and blocks nothing until then',
    async (rig) => {
      await rig.node();
      const later = await rig.enqueue({ lane: 'l', runAt: rig.now + 1000 });
      const first = await rig.enqueue({ lane: 'l' });
      expect(first.position).toBe(0);
      expect(await rig.lane('l')).toMatchObject({ queued: 1 });
      expect(await rig.queued('l')).toEqual([first.id]);
      expect((await rig.store.poll('node-1')).nextDueMs).toBe(1000);
      await rig.finish(await rig.claimOne());
      rig.advance(999);
      expect(await rig.claim()).toEqual([]);
      // Admitted before the other run was due, so it is ahead of it in the lane.
      const second = await rig.enqueue({ lane: 'l' });
      rig.advance(1);
      const claimed = await rig.claimOne();
      expect(claimed.run.id).toBe(second.id);
      expect(await rig.queued('l')).toEqual([later.id]);
      await rig.finish(claimed);
      expect(await rig.claimIds()).toEqual([later.id]);
    },
  );

  rule('[Q3] due runs join in the order of their times', async (rig) => {
    await rig.node();
    const late = await rig.enqueue({ lane: 'l', delayMs: 3000 });
    const early = await rig.enqueue({ lane: 'l', delayMs: 1000 });
    const middle = await rig.enqueue({ lane: 'l', runAt: rig.now + 2000 });
    rig.advance(5000);
    await rig.claimOne();
    expect(await rig.queued('l')).toEqual([middle.id, late.id]);
    expect((await rig.run(early.id)).state).toBe('dequeued');
  });

  rule('[Q3] a runAt in the past means now', async (rig) => {
    await rig.node();
    const past = await rig.enqueue({ runAt: rig.now - 1000 });
    const now = await rig.enqueue({ delayMs: 0 });
    expect(new Set(await rig.claimIds())).toEqual(new Set([past.id, now.id]));
  });

  rule('[Q8] several admissions are atomic', async (rig) => {
    await rig.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'one' });
    const before = await rig.counts();
    const conflict = rig.store.enqueue([
      admission({ lane: 'l' }),
      admission({ lane: 'other' }),
      admission({ lane: 'l', idempotencyKey: 'k', bodyHash: 'two' }),
    ]);
    await expect(conflict).rejects.toEqual(refused('idempotency_conflict'));
    const busy = rig.store.enqueue([
      admission({ lane: 'fresh' }),
      admission({ lane: 'l', onBusy: 'reject' }),
    ]);
    await expect(busy).rejects.toEqual(refused('lane_busy'));
    expect(await rig.counts()).toEqual(before);
    expect(await rig.queued('l')).toHaveLength(1);
    expect(await rig.store.listAfter('fresh', 0, 10)).toEqual([]);
    expect(await rig.store.listAfter('other', 0, 10)).toEqual([]);
  });

  rule('[Q4] a lane and all its runs belong to the owner of its first run', async (rig) => {
    const runs = ['ann', 'bob'].map((owner) => admission({ lane: 'l', owner }));
    const receipts = await rig.store.enqueue(runs);
    const later = await rig.enqueue({ lane: 'l', owner: 'cat' });
    expect((await rig.lane('l')).owner).toBe('ann');
    for (const { id } of [...receipts, later]) expect((await rig.run(id)).owner).toBe('ann');
  });

  rule('[Q11] a receipt says how many runs are ahead', async (rig) => {
    await rig.node();
    expect((await rig.enqueue({ lane: 'l' })).position).toBe(0);
    expect((await rig.enqueue({ lane: 'l' })).position).toBe(1);
    await rig.claimOne();
    expect((await rig.enqueue({ lane: 'l' })).position).toBe(2);
    const receipts = await rig.store.enqueue([admission({ lane: 'l' }), admission({ lane: 'l' })]);
    expect(receipts.map(({ position }) => position)).toEqual([3, 4]);
  });
}
