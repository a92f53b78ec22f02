import { expect } from 'vitest';
import { ErrorClass } from '../../contract/outcome.ts';
import { READY } from '../hint.ts';
import { failed, type Rule } from './rig.ts';

/** Listed again here, so that a mistake in the policy's table is noticed. */
const RETRYABLE: readonly ErrorClass[] = [
  'timeout',
  'agent_crash',
  'network_error',
  'overloaded',
  'unknown',
];

/** Attempts, and the effect of each error class. */
export function retryRules(rule: Rule): void {
  rule('[Q14] a run is retried until its attempts are used up, then it is dead', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ maxAttempts: 3 });
    for (const attempt of [1, 2]) {
      const claimed = await rig.begin();
      expect(claimed.run.attempts).toBe(attempt);
      await rig.end(claimed, failed('timeout', `attempt ${attempt}`), 1000 * attempt);
      expect(await rig.run(id)).toMatchObject({
        state: 'retry_scheduled',
        attempts: attempt,
        nextRunAt: rig.now + 1000 * attempt,
        finishedAt: null,
        error: { class: 'timeout', message: `attempt ${attempt}` },
      });
      rig.advance(1000 * attempt);
    }
    await rig.end(await rig.begin(), failed('timeout', 'last'));
    expect(await rig.run(id)).toMatchObject({
      state: 'dead',
      attempts: 3,
      nextRunAt: null,
      error: { class: 'timeout', message: 'last' },
    });
    rig.advance(100_000);
    await rig.node('node-2');
    expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
  });

  rule('[Q14] the error of a prior attempt is cleared when the run succeeds', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    await rig.finish(await rig.claimOne(), failed('timeout'));
    rig.advance(1000);
    await rig.finish(await rig.claimOne());
    expect(await rig.run(id)).toMatchObject({ state: 'succeeded', attempts: 2, error: null });
  });

  rule('[Q14] handing back, parking and crashing do not count as attempts', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue({ maxAttempts: 1 });
    await rig.end(await rig.begin(), { kind: 'handed_back', reason: 'stop' });
    expect(await rig.run(id)).toMatchObject({ state: 'queued', attempts: 0 });
    const error = { class: 'usage_limit', message: 'until five' } as const;
    await rig.end(await rig.begin(), { kind: 'parked', until: rig.now + 5000, error });
    expect(await rig.run(id)).toMatchObject({ state: 'retry_scheduled', attempts: 0 });
    rig.advance(5000);
    await rig.begin();
    await rig.store.takeOver(['node-1']);
    expect(await rig.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 1 });
    await rig.node();
    await rig.end(await rig.begin(), failed('timeout'));
    expect(await rig.run(id)).toMatchObject({ state: 'dead', attempts: 1 });
  });

  rule('[Q14] a waiting retry holds no slot', async (rig) => {
    await rig.node('node-1', { capacity: 1 });
    await rig.enqueue();
    const request = { caps: { types: { task: 1 }, perOwner: 1 } };
    await rig.finish(await rig.claimOne(request), failed('timeout'));
    const other = await rig.enqueue();
    expect(await rig.claimIds(request)).toEqual([other.id]);
  });

  for (const errorClass of ErrorClass.options) {
    const retries = RETRYABLE.includes(errorClass);
    rule(`[Q15] ${errorClass} ${retries ? 'is retried' : 'ends the run'}`, async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue();
      await rig.finish(await rig.claimOne(), failed(errorClass, 'why'));
      expect(await rig.run(id)).toMatchObject({
        state: retries ? 'retry_scheduled' : 'failed',
        attempts: 1,
        error: { class: errorClass, message: 'why' },
      });
    });
  }

  rule(
    '[Q15] a usage limit parks the run until the announced time, which is logged',
    async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue({ maxAttempts: 1 });
      const error = { class: 'usage_limit', message: 'come back later' } as const;
      const until = rig.now + 3_600_000;
      await rig.finish(await rig.claimOne(), { kind: 'parked', until, error });
      expect(await rig.run(id)).toMatchObject({
        state: 'retry_scheduled',
        nextRunAt: until,
        error,
      });
      const events = await rig.store.listAfter(id, 0, 10);
      expect(events.at(-1)).toMatchObject({ type: 'run.parked', payload: { until, error } });
      rig.advance(3_600_000 - 1);
      await rig.node('node-2');
      expect(await rig.claim({ nodeId: 'node-2' })).toEqual([]);
      rig.advance(1);
      expect((await rig.claimOne({ nodeId: 'node-2' })).run).toMatchObject({ id, attempts: 1 });
    },
  );

  rule('[Q15] a run parked until a past time is ready immediately', async (rig) => {
    await rig.node();
    const { id } = await rig.enqueue();
    const error = { class: 'usage_limit', message: '' } as const;
    await rig.finish(await rig.claimOne(), { kind: 'parked', until: rig.now - 5, error });
    expect((await rig.run(id)).nextRunAt).toBe(rig.now);
    expect(await rig.claimIds()).toEqual([id]);
  });

  rule(
    '[Q15] parking lasts as long as the worker measured, even if its clock is behind',
    async (rig) => {
      await rig.node();
      const { id } = await rig.enqueue();
      const { fence } = await rig.claimOne();
      const error = { class: 'usage_limit', message: '' } as const;
      const outcome = { kind: 'parked', until: rig.now - 3_600_000, error } as const;
      const end = { outcome, retryDelayMs: 0, parkMs: 5000 };
      await rig.store.write([{ lane: id, fence, start: true, end }]);
      expect((await rig.run(id)).nextRunAt).toBe(rig.now + 5000);
    },
  );

  rule(
    '[Q20] a run handed back continues immediately on another node, at the head of its lane',
    async (rig) => {
      await rig.node('node-1');
      await rig.node('node-2');
      const [first] = (await rig.enqueueMany(2, { lane: 'l' })) as [string, string];
      const claimed = await rig.begin();
      const hint = rig.hintOf(READY);
      await rig.end(claimed, { kind: 'handed_back', reason: 'shutdown' });
      await hint;
      const events = await rig.store.listAfter('l', 0, 100);
      expect(events.at(-1)).toMatchObject({
        type: 'run.handed_back',
        payload: { reason: 'shutdown' },
        attempt: 1,
      });
      expect(await rig.lane('l')).toMatchObject({ state: 'ready', runId: first, nodeId: null });
      const again = await rig.claimOne({ nodeId: 'node-2' });
      expect(again.run).toMatchObject({ id: first, attempts: 1, crashes: 0 });
    },
  );

  rule('[Q20] a run claimed but not started can be handed back', async (rig) => {
    await rig.node('node-1');
    const { id } = await rig.enqueue();
    await rig.end(await rig.claimOne(), { kind: 'handed_back', reason: 'shutdown' });
    expect(await rig.run(id)).toMatchObject({ state: 'queued', attempts: 0, startedAt: null });
    expect(await rig.claimIds()).toEqual([id]);
  });
}
