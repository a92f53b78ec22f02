import { expect } from 'vitest';
import { admission, failed, type Rule, refused } from './rig.ts';

/** Idempotency keys, and messages to a busy lane. */
export function busyRules(rule: Rule): void {
  rule('[Q10] the same key in a lane gives the same run', async (b) => {
    await b.node();
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    await b.enqueue({ lane: 'l' });
    const first = await b.enqueue(request);
    expect(first).toMatchObject({ known: false, position: 1 });
    const again = await b.enqueue(request);
    expect(again).toEqual({ ...first, known: true });
    expect(await b.queued('l')).toHaveLength(2);
    await b.finish(await b.claimOne());
    await b.finish(await b.claimOne());
    expect(await b.enqueue(request)).toMatchObject({
      id: first.id,
      state: 'succeeded',
      position: 0,
      known: true,
    });
    expect(await b.run(first.id)).toMatchObject({ idempotencyKey: 'k' });
    expect(await b.counts()).toEqual({ succeeded: 2 });
  });

  rule('[Q10] the same key with another body is refused', async (b) => {
    await b.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'one' });
    const other = b.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'two' });
    await expect(other).rejects.toEqual(refused('idempotency_conflict'));
    expect(await b.counts()).toEqual({ queued: 1 });
  });

  rule('[Q10] a key counts in its lane; runs without a lane share one scope', async (b) => {
    const key = { idempotencyKey: 'k', bodyHash: 'h' };
    const ids = [
      (await b.enqueue({ lane: 'a', ...key })).id,
      (await b.enqueue({ lane: 'b', ...key })).id,
      (await b.enqueue(key)).id,
    ];
    expect(new Set(ids).size).toBe(3);
    expect(await b.enqueue(key)).toMatchObject({ id: ids[2], known: true });
    await expect(b.enqueue({ ...key, bodyHash: 'x' })).rejects.toEqual(
      refused('idempotency_conflict'),
    );
  });

  rule('[Q10] a known key leaves nothing behind of the second call', async (b) => {
    const key = { idempotencyKey: 'k', bodyHash: 'h' };
    await b.enqueue(key);
    expect(await b.enqueue({ ...key, id: 'second' })).toMatchObject({ known: true });
    expect(await b.store.getLane('second')).toBeNull();
    expect(await b.store.get('second')).toBeNull();
  });

  rule('[Q10] the same key twice in one call is one run', async (b) => {
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    const [one, two] = await b.store.enqueue([admission(request), admission(request)]);
    expect(two).toMatchObject({ id: one?.id, known: true });
    expect(await b.counts()).toEqual({ queued: 1 });
  });

  rule('[Q10] a known key tells what an earlier one of the same call did', async (b) => {
    await b.node();
    const key = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    const { id } = await b.enqueue(key);
    await b.end(await b.begin(), failed('timeout'));
    const urgent = { ...key, idempotencyKey: 'urgent', onBusy: 'interrupt' } as const;
    const receipts = await b.store.enqueue([urgent, urgent, key].map(admission));
    expect(receipts.map(({ state, position }) => ({ state, position }))).toEqual([
      { state: 'queued', position: 0 },
      { state: 'queued', position: 0 },
      { state: 'cancelled', position: 0 },
    ]);
    expect(receipts[2]?.id).toBe(id);
  });

  rule('[Q10] of calls with one key that meet, one admits', async (b) => {
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    const receipts = await Promise.all(Array.from({ length: 8 }, () => b.enqueue(request)));
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(1);
    expect(receipts.filter(({ known }) => !known)).toHaveLength(1);
    expect(await b.counts()).toEqual({ queued: 1 });
  });

  rule('[Q11] reject refuses a lane that has a run under way or queued', async (b) => {
    await b.node();
    const reject = { lane: 'l', onBusy: 'reject' } as const;
    const first = await b.enqueue(reject);
    expect(first.position).toBe(0);
    await expect(b.enqueue(reject)).rejects.toEqual(refused('lane_busy'));
    const claimed = await b.begin();
    await expect(b.enqueue(reject)).rejects.toEqual(refused('lane_busy'));
    await b.end(claimed, failed('timeout'));
    await expect(b.enqueue(reject)).rejects.toEqual(refused('lane_busy'));
    b.advance(1000);
    await b.finish(await b.claimOne());
    expect((await b.enqueue(reject)).position).toBe(0);
    expect(await b.counts()).toEqual({ succeeded: 1, queued: 1 });
  });

  rule('[Q11] a known key is answered even if the lane is busy', async (b) => {
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h', onBusy: 'reject' } as const;
    const first = await b.enqueue(request);
    expect(await b.enqueue(request)).toMatchObject({ id: first.id, known: true });
  });

  rule('[Q11] interrupt cancels the run under way and goes next', async (b) => {
    await b.node();
    await b.change({ do: 'configure', lane: 'l', settings: { holdOnFailure: true } });
    const [first, second] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const running = await b.begin();
    const hint = b.hint(({ nodes }) => nodes.includes('node-1'));
    const urgent = await b.enqueue({ lane: 'l', onBusy: 'interrupt' });
    await hint;
    expect(urgent.position).toBe(1);
    expect((await b.store.poll('node-1')).holds).toMatchObject([{ cancel: 'interrupt' }]);
    expect(await b.queued('l')).toEqual([urgent.id, second]);
    await b.end(running, { kind: 'cancelled' });
    expect(await b.run(first)).toMatchObject({ state: 'cancelled' });
    expect(await b.lane('l')).toMatchObject({ held: false });
    expect(await b.claimIds()).toEqual([urgent.id]);
  });

  rule('[Q11] interrupt ends a run that waits for its retry at once', async (b) => {
    await b.node();
    await b.change({ do: 'configure', lane: 'l', settings: { holdOnFailure: true } });
    const [first, second] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    await b.finish(await b.claimOne(), failed('timeout'));
    const urgent = await b.enqueue({ lane: 'l', onBusy: 'interrupt' });
    expect(urgent.position).toBe(0);
    expect((await b.run(first)).state).toBe('cancelled');
    expect(await b.lane('l')).toMatchObject({ held: false, state: 'ready' });
    expect(await b.queued('l')).toEqual([urgent.id, second]);
  });

  rule('[Q11] interrupt in a lane that only waits goes first', async (b) => {
    await b.node();
    const [first] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const urgent = await b.enqueue({ lane: 'l', onBusy: 'interrupt', type: 'other' });
    expect(urgent.position).toBe(0);
    expect((await b.queued('l')).slice(0, 2)).toEqual([urgent.id, first]);
    expect(await b.lane('l')).toMatchObject({ headType: 'other' });
    expect(await b.claim()).toEqual([]);
    expect(await b.claimIds({ types: ['other'] })).toEqual([urgent.id]);
  });

  rule('[Q11] interrupt in an idle lane is a plain message', async (b) => {
    await b.node();
    const { id, position } = await b.enqueue({ lane: 'l', onBusy: 'interrupt' });
    expect(position).toBe(0);
    expect(await b.claimIds()).toEqual([id]);
  });

  rule('[Q11] without a word a message to a busy lane waits', async (b) => {
    await b.node();
    await b.enqueue({ lane: 'l' });
    const claimed = await b.begin();
    const { position } = await b.enqueue({ lane: 'l' });
    expect(position).toBe(1);
    expect((await b.store.poll('node-1')).holds).toMatchObject([{ cancel: null }]);
    expect(await b.end(claimed)).toBe(true);
  });
}
