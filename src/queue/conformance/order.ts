import { expect } from 'vitest';
import { admission, type Rule, refused } from './rig.ts';

/** Order within a lane, and runs that wait for their time. */
export function orderRules(rule: Rule): void {
  rule('[Q1] runs of a lane start in the order they were admitted', async (b) => {
    await b.node();
    const ids = await b.enqueueMany(5, { lane: 'l' });
    const started: string[] = [];
    for (let i = 0; i < 5; i++) {
      const claimed = await b.claimOne();
      started.push(claimed.run.id);
      await b.finish(claimed);
    }
    expect(started).toEqual(ids);
    expect(await b.claim()).toEqual([]);
  });

  rule('[Q1] a lane gives out one run at a time, to whichever node asks', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    await b.enqueueMany(3, { lane: 'l' });
    const first = await b.begin();
    expect(await b.claim({ nodeId: 'node-1' })).toEqual([]);
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
    await b.end(first);
    expect(await b.claim({ nodeId: 'node-2' })).toHaveLength(1);
    expect(await b.claim({ nodeId: 'node-1' })).toEqual([]);
  });

  rule('[Q1] lanes do not wait for each other', async (b) => {
    await b.node();
    const a = await b.enqueueMany(2, { lane: 'a' });
    const c = await b.enqueueMany(2, { lane: 'c' });
    const single = await b.enqueueMany(2);
    const claimed = await b.claimIds();
    expect(new Set(claimed)).toEqual(new Set([a[0], c[0], ...single]));
  });

  rule('[Q1] a run without a lane gets one of its own, named by its id', async (b) => {
    const receipt = await b.enqueue();
    expect(receipt).toMatchObject({ lane: receipt.id, state: 'queued', position: 0, known: false });
    expect(await b.lane(receipt.id)).toMatchObject({ state: 'ready', queued: 1, headType: 'task' });
  });

  rule('[Q1] of two nodes that claim at once each run goes to one', async (b) => {
    const nodes = [await b.node('node-1'), await b.node('node-2'), await b.node('node-3')];
    const ids = await b.enqueueMany(30);
    const lane = await b.enqueueMany(5, { lane: 'l' });
    const claims = Array.from({ length: 12 }, (_, i) =>
      b.claim({ nodeId: nodes[i % 3] as string, limit: 5 }),
    );
    const claimed = (await Promise.all(claims)).flat();
    expect(claimed.map(({ run }) => run.id).sort()).toEqual([...ids, lane[0]].sort());
    expect(new Set(claimed.map(({ fence }) => fence)).size).toBe(31);
  });

  rule('[Q1] a run waiting for its retry keeps the head of its lane', async (b) => {
    await b.node();
    const [first, second] = await b.enqueueMany(2, { lane: 'l' });
    const claimed = await b.begin();
    await b.end(claimed, { kind: 'failed', error: { class: 'timeout', message: '' } }, 5000);
    expect((await b.run(first as string)).state).toBe('retry_scheduled');
    expect(await b.claim()).toEqual([]);
    b.advance(5000);
    const again = await b.claimOne();
    expect(again.run.id).toBe(first);
    await b.finish(again);
    expect((await b.claimOne()).run.id).toBe(second);
  });

  rule('[Q3] no retry starts before its time', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    const claimed = await b.begin();
    await b.end(claimed, { kind: 'failed', error: { class: 'timeout', message: '' } }, 5000);
    expect(await b.run(claimed.run.id)).toMatchObject({ nextRunAt: b.now + 5000 });
    expect((await b.store.poll('node-1')).nextDueMs).toBe(5000);
    b.advance(4999);
    expect(await b.claim()).toEqual([]);
    b.advance(1);
    const again = await b.claimOne();
    expect(again.run).toMatchObject({ id: claimed.run.id, nextRunAt: null, attempts: 2 });
  });

  rule(
    '[Q3] a run with runAt joins its lane when it is due and until then blocks nobody',
    async (b) => {
      await b.node();
      const later = await b.enqueue({ lane: 'l', runAt: b.now + 1000 });
      const first = await b.enqueue({ lane: 'l' });
      expect(first.position).toBe(0);
      expect(await b.lane('l')).toMatchObject({ queued: 1 });
      expect(await b.queued('l')).toEqual([first.id]);
      expect((await b.store.poll('node-1')).nextDueMs).toBe(1000);
      await b.finish(await b.claimOne());
      b.advance(999);
      expect(await b.claim()).toEqual([]);
      // Admitted before it was due, so before it in the lane.
      const second = await b.enqueue({ lane: 'l' });
      b.advance(1);
      const claimed = await b.claimOne();
      expect(claimed.run.id).toBe(second.id);
      expect(await b.queued('l')).toEqual([later.id]);
      await b.finish(claimed);
      expect(await b.claimIds()).toEqual([later.id]);
    },
  );

  rule('[Q3] due runs join in the order of their times', async (b) => {
    await b.node();
    const late = await b.enqueue({ lane: 'l', delayMs: 3000 });
    const early = await b.enqueue({ lane: 'l', delayMs: 1000 });
    const middle = await b.enqueue({ lane: 'l', runAt: b.now + 2000 });
    b.advance(5000);
    await b.claimOne();
    expect(await b.queued('l')).toEqual([middle.id, late.id]);
    expect((await b.run(early.id)).state).toBe('dequeued');
  });

  rule('[Q3] a time that has passed is now', async (b) => {
    await b.node();
    const past = await b.enqueue({ runAt: b.now - 1000 });
    const now = await b.enqueue({ delayMs: 0 });
    expect(new Set(await b.claimIds())).toEqual(new Set([past.id, now.id]));
  });

  rule('[Q8] several admissions happen together or not at all', async (b) => {
    await b.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'one' });
    const before = await b.counts();
    const conflict = b.store.enqueue([
      admission({ lane: 'l' }),
      admission({ lane: 'other' }),
      admission({ lane: 'l', idempotencyKey: 'k', bodyHash: 'two' }),
    ]);
    await expect(conflict).rejects.toEqual(refused('idempotency_conflict'));
    const busy = b.store.enqueue([
      admission({ lane: 'fresh' }),
      admission({ lane: 'l', onBusy: 'reject' }),
    ]);
    await expect(busy).rejects.toEqual(refused('lane_busy'));
    expect(await b.counts()).toEqual(before);
    expect(await b.queued('l')).toHaveLength(1);
    expect(await b.store.listAfter('fresh', 0, 10)).toEqual([]);
    expect(await b.store.listAfter('other', 0, 10)).toEqual([]);
  });

  rule('[Q4] a lane belongs to the owner of its first run, and so do its others', async (b) => {
    const runs = ['ann', 'bob'].map((owner) => admission({ lane: 'l', owner }));
    const receipts = await b.store.enqueue(runs);
    const later = await b.enqueue({ lane: 'l', owner: 'cat' });
    expect((await b.lane('l')).owner).toBe('ann');
    for (const { id } of [...receipts, later]) expect((await b.run(id)).owner).toBe('ann');
  });

  rule('[Q11] a receipt says how many runs are before', async (b) => {
    await b.node();
    expect((await b.enqueue({ lane: 'l' })).position).toBe(0);
    expect((await b.enqueue({ lane: 'l' })).position).toBe(1);
    await b.claimOne();
    expect((await b.enqueue({ lane: 'l' })).position).toBe(2);
    const receipts = await b.store.enqueue([admission({ lane: 'l' }), admission({ lane: 'l' })]);
    expect(receipts.map(({ position }) => position)).toEqual([3, 4]);
  });
}
