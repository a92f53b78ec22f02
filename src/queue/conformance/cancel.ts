import { expect } from 'vitest';
import { failed, type Rule, refused } from './rig.ts';

export function cancelRules(rule: Rule): void {
  rule(
    '[Q9] cancelling a queued run takes effect immediately, and it never starts',
    async (rig) => {
      await rig.node();
      const [first, second, third] = (await rig.enqueueMany(3, { lane: 'l' })) as [
        string,
        string,
        string,
      ];
      expect(await rig.cancel(second)).toMatchObject({
        state: 'cancelled',
        cancelRequestedAt: rig.now,
        finishedAt: rig.now,
        startedAt: null,
        error: { class: 'user_cancelled' },
      });
      expect(await rig.queued('l')).toEqual([first, third]);
      await rig.finish(await rig.claimOne());
      expect(await rig.claimIds()).toEqual([third]);
      expect(await rig.eventTypes('l', second)).toEqual(['run.queued', 'run.finished', 'done']);
    },
  );

  rule('[Q9] cancelling the only queued run leaves the lane idle', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.cancel(id);
    expect(await rig.lane('l')).toMatchObject({ state: 'idle', queued: 0, headType: null });
    expect(await rig.claim()).toEqual([]);
    const next = await rig.enqueue({ lane: 'l' });
    expect(next.position).toBe(0);
    expect(await rig.claimIds()).toEqual([next.id]);
  });

  rule('[Q9] cancelling a run that is not due yet takes effect immediately', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l', delayMs: 1000 });
    await rig.cancel(id);
    expect((await rig.run(id)).state).toBe('cancelled');
    rig.advance(2000);
    expect(await rig.claim()).toEqual([]);
    expect((await rig.store.poll('node-1')).nextDueMs).toBeNull();
  });

  rule(
    '[Q9] cancelling a running run sets a flag that its node sees, by hint and by poll',
    async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue();
      const claimed = await rig.begin();
      const hint = rig.hint(({ nodes }) => nodes.includes('node-1'));
      expect(await rig.cancel(id)).toMatchObject({ state: 'running', cancelRequestedAt: rig.now });
      await hint;
      expect((await rig.store.poll('node-1')).holds).toEqual([
        { lane: id, fence: claimed.fence, state: 'running', cancel: 'stop' },
      ]);
      expect(await rig.end(claimed, { kind: 'cancelled' })).toBe(true);
      expect(await rig.run(id)).toMatchObject({ state: 'cancelled', finishedAt: rig.now });
      expect((await rig.store.poll('node-1')).holds).toEqual([]);
    },
  );

  rule('[Q9] after a requested cancel nothing is retried, parked or handed back', async (rig) => {
    await rig.node();
    const error = { class: 'usage_limit', message: '' } as const;
    const outcomes = [
      failed('timeout'),
      failed('invalid_request'),
      { kind: 'handed_back', reason: 'stop' },
      { kind: 'parked', until: rig.now + 1000, error },
      { kind: 'left_waiting' },
    ] as const;
    for (const outcome of outcomes) {
      const { id } = await rig.enqueue();
      const claimed = await rig.begin();
      await rig.cancel(id);
      await rig.end(claimed, outcome);
      expect((await rig.run(id)).state, outcome.kind).toBe('cancelled');
    }
    rig.advance(60_000);
    await rig.store.renew('node-1', 1);
    expect(await rig.counts()).toEqual({ cancelled: outcomes.length });
  });

  rule(
    '[Q9] a run that succeeds before a requested cancel reaches it has succeeded',
    async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue();
      const claimed = await rig.begin();
      await rig.cancel(id);
      await rig.end(claimed, { kind: 'succeeded', result: 'made it' });
      expect(await rig.run(id)).toMatchObject({ state: 'succeeded', result: 'made it' });
    },
  );

  rule('[Q9] cancelling a run that waits for its retry takes effect immediately', async (rig) => {
    await rig.node();
    const [first, second] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    await rig.finish(await rig.claimOne(), failed('timeout'));
    expect(await rig.cancel(first)).toMatchObject({ state: 'cancelled', nextRunAt: null });
    expect(await rig.claimIds()).toEqual([second]);
  });

  rule('[Q9] cancelling a run that was handed back takes effect immediately', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ lane: 'l' });
    await rig.end(await rig.begin(), { kind: 'handed_back', reason: 'stop' });
    expect((await rig.cancel(id))?.state).toBe('cancelled');
    expect(await rig.claim()).toEqual([]);
  });

  rule('[Q9] cancelling a claimed run that has not started reaches its node', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const claimed = await rig.claimOne();
    expect((await rig.cancel(id))?.state).toBe('dequeued');
    expect(await rig.end(claimed, { kind: 'cancelled' })).toBe(true);
    expect(await rig.eventTypes(id)).toEqual([
      'run.queued',
      'run.dequeued',
      'run.finished',
      'done',
    ]);
  });

  rule('[Q9] a second cancel changes nothing; a cancel after the end is refused', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const claimed = await rig.begin();
    const at = rig.now;
    await rig.cancel(id);
    rig.advance(5);
    expect(await rig.cancel(id)).toMatchObject({ cancelRequestedAt: at });
    await rig.end(claimed, { kind: 'cancelled' });
    await expect(rig.cancel(id)).rejects.toEqual(refused('run_finished'));
  });

  rule('[Q9] a requested cancel does not affect the next run of the lane', async (rig) => {
    await rig.node();
    const [first] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
    const claimed = await rig.begin();
    await rig.cancel(first);
    await rig.end(claimed, { kind: 'cancelled' });
    const next = await rig.begin();
    expect((await rig.store.poll('node-1')).holds).toMatchObject([{ cancel: null }]);
    await rig.end(next, failed('timeout'));
    expect((await rig.run(next.run.id)).state).toBe('retry_scheduled');
  });
}
