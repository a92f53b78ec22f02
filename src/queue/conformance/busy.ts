import { expect } from 'vitest';
import { admission, failed, type Rule, refused } from './rig.ts';

/** Idempotency keys, and messages to a busy lane. */
export function busyRules(rule: Rule): void {
  rule('[Q10] the same key in a lane returns the same run', async (rig) => {
    await rig.node();
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    await rig.enqueue({ lane: 'l' });
    const first = await rig.enqueue(request);
    expect(first).toMatchObject({ known: false, position: 1 });
    const again = await rig.enqueue(request);
    expect(again).toEqual({ ...first, known: true });
    expect(await rig.queued('l')).toHaveLength(2);
    await rig.finish(await rig.claimOne());
    await rig.finish(await rig.claimOne());
    expect(await rig.enqueue(request)).toMatchObject({
      id: first.id,
      state: 'succeeded',
      position: 0,
      known: true,
    });
    expect(await rig.run(first.id)).toMatchObject({ idempotencyKey: 'k' });
    expect(await rig.counts()).toEqual({ succeeded: 2 });
  });

  rule(
    '[Q10] the same key with another body is refused, and the refusal names the run',
    async (rig) => {
      const { id } = await rig.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'one' });
      const other = rig.enqueue({ lane: 'l', idempotencyKey: 'k', bodyHash: 'two' });
      const conflict = { code: 'idempotency_conflict', details: { runId: id } };
      await expect(other).rejects.toMatchObject(conflict);
      expect(await rig.counts()).toEqual({ queued: 1 });
    },
  );

  rule('[Q10] a key is scoped to its lane; runs without a lane share one scope', async (rig) => {
    const key = { idempotencyKey: 'k', bodyHash: 'h' };
    const ids = [
      (await rig.enqueue({ lane: 'a', ...key })).id,
      (await rig.enqueue({ lane: 'b', ...key })).id,
      (await rig.enqueue(key)).id,
    ];
    expect(new Set(ids).size).toBe(3);
    expect(await rig.enqueue(key)).toMatchObject({ id: ids[2], known: true });
    await expect(rig.enqueue({ ...key, bodyHash: 'x' })).rejects.toEqual(
      refused('idempotency_conflict'),
    );
  });

  rule('[Q10] a second call with a known key changes nothing', async (rig) => {
    const key = { idempotencyKey: 'k', bodyHash: 'h' };
    await rig.enqueue(key);
    expect(await rig.enqueue({ ...key, id: 'second' })).toMatchObject({ known: true });
    expect(await rig.store.getLane('second')).toBeNull();
    expect(await rig.store.get('second')).toBeNull();
  });

  rule('[Q10] the same key twice in one call is one run', async (rig) => {
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    const [one, two] = await rig.store.enqueue([admission(request), admission(request)]);
    expect(two).toMatchObject({ id: one?.id, known: true });
    expect(await rig.counts()).toEqual({ queued: 1 });
  });

  rule('[Q11] an interrupting run goes ahead of earlier runs of the same call', async (rig) => {
    await rig.node();
    const requests = [{ lane: 'l' }, { lane: 'l', onBusy: 'interrupt' } as const];
    const [first, urgent] = await rig.store.enqueue(requests.map(admission));
    expect((await rig.begin()).run.id).toBe(urgent?.id);
    expect(await rig.queued('l')).toEqual([first?.id]);
  });

  rule(
    '[Q10] the receipt for a known key reflects earlier admissions of the same call',
    async (rig) => {
      await rig.node();
      const key = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
      const { id } = await rig.enqueue(key);
      await rig.end(await rig.begin(), failed('timeout'));
      const urgent = { ...key, idempotencyKey: 'urgent', onBusy: 'interrupt' } as const;
      const receipts = await rig.store.enqueue([urgent, urgent, key].map(admission));
      expect(receipts.map(({ state, position }) => ({ state, position }))).toEqual([
        { state: 'queued', position: 0 },
        { state: 'queued', position: 0 },
        { state: 'cancelled', position: 0 },
      ]);
      expect(receipts[2]?.id).toBe(id);
    },
  );

  rule('[Q10] of concurrent calls with the same key, one admits', async (rig) => {
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h' };
    const receipts = await Promise.all(Array.from({ length: 8 }, () => rig.enqueue(request)));
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(1);
    expect(receipts.filter(({ known }) => !known)).toHaveLength(1);
    expect(await rig.counts()).toEqual({ queued: 1 });
  });

  rule('[Q11] reject refuses a lane with a begun or queued run', async (rig) => {
    await rig.node();
    const reject = { lane: 'l', onBusy: 'reject' } as const;
    const first = await rig.enqueue(reject);
    expect(first.position).toBe(0);
    await expect(rig.enqueue(reject)).rejects.toEqual(refused('lane_busy'));
    const claimed = await rig.begin();
    await expect(rig.enqueue(reject)).rejects.toEqual(refused('lane_busy'));
    await rig.end(claimed, failed('timeout'));
    await expect(rig.enqueue(reject)).rejects.toEqual(refused('lane_busy'));
    rig.advance(1000);
    await rig.finish(await rig.claimOne());
    expect((await rig.enqueue(reject)).position).toBe(0);
    expect(await rig.counts()).toEqual({ succeeded: 1, queued: 1 });
  });

  rule('[Q11] a known key is answered even if the lane is busy', async (rig) => {
    const request = { lane: 'l', idempotencyKey: 'k', bodyHash: 'h', onBusy: 'reject' } as const;
    const first = await rig.enqueue(request);
    expect(await rig.enqueue(request)).toMatchObject({ id: first.id, known: true });
  });

  rule('[Q11] interrupt cancels the current run and goes next', async (rig) => {
    await rig.node();
    await rig.change({ do: 'configure', lane: 'l', settings: { holdOnFailure: true } });
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const running = await rig.begin();
    const hint = rig.hint(({ nodes }) => nodes.includes('node-1'));
    const urgent = await rig.enqueue({ lane: 'l', onBusy: 'interrupt' });
    await hint;
    expect(urgent.position).toBe(1);
    expect((await rig.store.poll('node-1')).holds).toMatchObject([{ cancel: 'interrupt' }]);
    expect(await rig.queued('l')).toEqual([urgent.id, second]);
    await rig.end(running, { kind: 'cancelled' });
    expect(await rig.run(first)).toMatchObject({ state: 'cancelled' });
    expect(await rig.lane('l')).toMatchObject({ held: false });
    expect(await rig.claimIds()).toEqual([urgent.id]);
  });

  rule('[Q11] interrupt immediately ends a run that waits for its retry', async (rig) => {
    await rig.node();
    await rig.change({ do: 'configure', lane: 'l', settings: { holdOnFailure: true } });
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    await rig.finish(await rig.claimOne(), failed('timeout'));
    const urgent = await rig.enqueue({ lane: 'l', onBusy: 'interrupt' });
    expect(urgent.position).toBe(0);
    expect((await rig.run(first)).state).toBe('cancelled');
    expect(await rig.lane('l')).toMatchObject({ held: false, state: 'ready' });
    expect(await rig.queued('l')).toEqual([urgent.id, second]);
  });

  rule('[Q11] interrupt goes first in a lane with only queued runs', async (rig) => {
    await rig.node();
    const [first] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const urgent = await rig.enqueue({ lane: 'l', onBusy: 'interrupt', type: 'other' });
    expect(urgent.position).toBe(0);
    expect((await rig.queued('l')).slice(0, 2)).toEqual([urgent.id, first]);
    expect(await rig.lane('l')).toMatchObject({ headType: 'other' });
    expect(await rig.claim()).toEqual([]);
    expect(await rig.claimIds({ types: ['other'] })).toEqual([urgent.id]);
  });

  rule('[Q11] interrupt in an idle lane is an ordinary message', async (rig) => {
    await rig.node();
    const { id, position } = await rig.enqueue({ lane: 'l', onBusy: 'interrupt' });
    expect(position).toBe(0);
    expect(await rig.claimIds()).toEqual([id]);
  });

  rule('[Q11] by default a message to a busy lane waits', async (rig) => {
    await rig.node();
    await rig.enqueue({ lane: 'l' });
    const claimed = await rig.begin();
    const { position } = await rig.enqueue({ lane: 'l' });
    expect(position).toBe(1);
    expect((await rig.store.poll('node-1')).holds).toMatchObject([{ cancel: null }]);
    expect(await rig.end(claimed)).toBe(true);
  });
}
