import { expect } from 'vitest';
import { failed, type Rule, refused } from './rig.ts';

export function cancelRules(rule: Rule): void {
  rule('[Q9] cancel of a queued run is final at once, and it never starts', async (b) => {
    await b.node();
    const [first, second, third] = (await b.enqueueMany(3, { lane: 'l' })) as [
      string,
      string,
      string,
    ];
    expect(await b.cancel(second)).toMatchObject({
      state: 'cancelled',
      cancelRequestedAt: b.now,
      finishedAt: b.now,
      startedAt: null,
      error: { class: 'user_cancelled' },
    });
    expect(await b.queued('l')).toEqual([first, third]);
    await b.finish(await b.claimOne());
    expect(await b.claimIds()).toEqual([third]);
    expect(await b.eventTypes('l', second)).toEqual(['run.queued', 'run.finished', 'done']);
  });

  rule('[Q9] cancel of the only queued run leaves the lane idle', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    await b.cancel(id);
    expect(await b.lane('l')).toMatchObject({ state: 'idle', queued: 0, headType: null });
    expect(await b.claim()).toEqual([]);
    const next = await b.enqueue({ lane: 'l' });
    expect(next.position).toBe(0);
    expect(await b.claimIds()).toEqual([next.id]);
  });

  rule('[Q9] cancel of a run before its time is final at once', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l', delayMs: 1000 });
    await b.cancel(id);
    expect((await b.run(id)).state).toBe('cancelled');
    b.advance(2000);
    expect(await b.claim()).toEqual([]);
    expect((await b.store.poll('node-1')).nextDueMs).toBeNull();
  });

  rule(
    '[Q9] cancel of a running run sets a flag that its node sees, by hint and by poll',
    async (b) => {
      await b.node();
      const { id } = await b.enqueue();
      const claimed = await b.begin();
      const hint = b.hint(({ nodes }) => nodes.includes('node-1'));
      expect(await b.cancel(id)).toMatchObject({ state: 'running', cancelRequestedAt: b.now });
      await hint;
      expect((await b.store.poll('node-1')).holds).toEqual([
        { lane: id, fence: claimed.fence, state: 'running', cancel: 'stop' },
      ]);
      expect(await b.end(claimed, { kind: 'cancelled' })).toBe(true);
      expect(await b.run(id)).toMatchObject({ state: 'cancelled', finishedAt: b.now });
      expect((await b.store.poll('node-1')).holds).toEqual([]);
    },
  );

  rule('[Q9] after a wish to cancel nothing is retried, parked or handed on', async (b) => {
    await b.node();
    const error = { class: 'usage_limit', message: '' } as const;
    const outcomes = [
      failed('timeout'),
      failed('invalid_request'),
      { kind: 'handed_back', reason: 'stop' },
      { kind: 'parked', until: b.now + 1000, error },
      { kind: 'left_waiting' },
    ] as const;
    for (const outcome of outcomes) {
      const { id } = await b.enqueue();
      const claimed = await b.begin();
      await b.cancel(id);
      await b.end(claimed, outcome);
      expect((await b.run(id)).state, outcome.kind).toBe('cancelled');
    }
    b.advance(60_000);
    await b.store.renew('node-1', 1);
    expect(await b.counts()).toEqual({ cancelled: outcomes.length });
  });

  rule('[Q9] a run that made it before the stop reached it has succeeded', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const claimed = await b.begin();
    await b.cancel(id);
    await b.end(claimed, { kind: 'succeeded', result: 'made it' });
    expect(await b.run(id)).toMatchObject({ state: 'succeeded', result: 'made it' });
  });

  rule('[Q9] cancel of a run waiting for its retry is final at once', async (b) => {
    await b.node();
    const [first, second] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    await b.finish(await b.claimOne(), failed('timeout'));
    expect(await b.cancel(first)).toMatchObject({ state: 'cancelled', nextRunAt: null });
    expect(await b.claimIds()).toEqual([second]);
  });

  rule('[Q9] cancel of a run that was handed back is final at once', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ lane: 'l' });
    await b.end(await b.begin(), { kind: 'handed_back', reason: 'stop' });
    expect((await b.cancel(id))?.state).toBe('cancelled');
    expect(await b.claim()).toEqual([]);
  });

  rule('[Q9] cancel of a claimed run that has not started reaches its node', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const claimed = await b.claimOne();
    expect((await b.cancel(id))?.state).toBe('dequeued');
    expect(await b.end(claimed, { kind: 'cancelled' })).toBe(true);
    expect(await b.eventTypes(id)).toEqual(['run.queued', 'run.dequeued', 'run.finished', 'done']);
  });

  rule('[Q9] asking twice is asking once; asking after the end is refused', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const claimed = await b.begin();
    const at = b.now;
    await b.cancel(id);
    b.advance(5);
    expect(await b.cancel(id)).toMatchObject({ cancelRequestedAt: at });
    await b.end(claimed, { kind: 'cancelled' });
    await expect(b.cancel(id)).rejects.toEqual(refused('run_finished'));
  });

  rule('[Q9] one wish to cancel does not reach the next run of the lane', async (b) => {
    await b.node();
    const [first] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const claimed = await b.begin();
    await b.cancel(first);
    await b.end(claimed, { kind: 'cancelled' });
    const next = await b.begin();
    expect((await b.store.poll('node-1')).holds).toMatchObject([{ cancel: null }]);
    await b.end(next, failed('timeout'));
    expect((await b.run(next.run.id)).state).toBe('retry_scheduled');
  });
}
