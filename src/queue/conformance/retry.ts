import { expect } from 'vitest';
import { ErrorClass } from '../../contract/outcome.ts';
import { failed, type Rule } from './rig.ts';

/** Written out again, so that a slip in the policy's table shows here. */
const RETRYABLE: readonly ErrorClass[] = [
  'timeout',
  'agent_crash',
  'network_error',
  'overloaded',
  'unknown',
];

/** Attempts, and what each class of error leads to. */
export function retryRules(rule: Rule): void {
  rule('[Q14] a run is tried until its attempts are used up, then it is dead', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ maxAttempts: 3 });
    for (const attempt of [1, 2]) {
      const claimed = await b.begin();
      expect(claimed.run.attempts).toBe(attempt);
      await b.end(claimed, failed('timeout', `attempt ${attempt}`), 1000 * attempt);
      expect(await b.run(id)).toMatchObject({
        state: 'retry_scheduled',
        attempts: attempt,
        nextRunAt: b.now + 1000 * attempt,
        finishedAt: null,
        error: { class: 'timeout', message: `attempt ${attempt}` },
      });
      b.advance(1000 * attempt);
    }
    await b.end(await b.begin(), failed('timeout', 'last'));
    expect(await b.run(id)).toMatchObject({
      state: 'dead',
      attempts: 3,
      nextRunAt: null,
      error: { class: 'timeout', message: 'last' },
    });
    b.advance(100_000);
    await b.node('node-2');
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
  });

  rule('[Q14] an error of an earlier attempt is gone when the run succeeds', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    await b.finish(await b.claimOne(), failed('timeout'));
    b.advance(1000);
    await b.finish(await b.claimOne());
    expect(await b.run(id)).toMatchObject({ state: 'succeeded', attempts: 2, error: null });
  });

  rule('[Q14] a hand-back, a parking and a crash use up no attempt', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ maxAttempts: 1 });
    await b.end(await b.begin(), { kind: 'handed_back', reason: 'stop' });
    expect(await b.run(id)).toMatchObject({ state: 'queued', attempts: 0 });
    const error = { class: 'usage_limit', message: 'until five' } as const;
    await b.end(await b.begin(), { kind: 'parked', until: b.now + 5000, error });
    expect(await b.run(id)).toMatchObject({ state: 'retry_scheduled', attempts: 0 });
    b.advance(5000);
    await b.begin();
    await b.store.takeOver(['node-1']);
    expect(await b.run(id)).toMatchObject({ state: 'queued', attempts: 0, crashes: 1 });
    await b.node();
    await b.end(await b.begin(), failed('timeout'));
    expect(await b.run(id)).toMatchObject({ state: 'dead', attempts: 1 });
  });

  rule('[Q14] a waiting retry holds no slot', async (b) => {
    await b.node('node-1', { capacity: 1 });
    await b.enqueue();
    const request = { caps: { types: { task: 1 }, perOwner: 1 } };
    await b.finish(await b.claimOne(request), failed('timeout'));
    const other = await b.enqueue();
    expect(await b.claimIds(request)).toEqual([other.id]);
  });

  for (const errorClass of ErrorClass.options) {
    const retries = RETRYABLE.includes(errorClass);
    rule(`[Q15] ${errorClass} ${retries ? 'is tried again' : 'ends the run'}`, async (b) => {
      await b.node();
      const { id } = await b.enqueue();
      await b.finish(await b.claimOne(), failed(errorClass, 'why'));
      expect(await b.run(id)).toMatchObject({
        state: retries ? 'retry_scheduled' : 'failed',
        attempts: 1,
        error: { class: errorClass, message: 'why' },
      });
    });
  }

  rule('[Q15] a usage limit is parked until the announced time, and shown with it', async (b) => {
    await b.node();
    const { id } = await b.enqueue({ maxAttempts: 1 });
    const error = { class: 'usage_limit', message: 'come back later' } as const;
    const until = b.now + 3_600_000;
    await b.finish(await b.claimOne(), { kind: 'parked', until, error });
    expect(await b.run(id)).toMatchObject({ state: 'retry_scheduled', nextRunAt: until, error });
    const events = await b.store.listAfter(id, 0, 10);
    expect(events.at(-1)).toMatchObject({ type: 'run.parked', payload: { until, error } });
    b.advance(3_600_000 - 1);
    await b.node('node-2');
    expect(await b.claim({ nodeId: 'node-2' })).toEqual([]);
    b.advance(1);
    expect((await b.claimOne({ nodeId: 'node-2' })).run).toMatchObject({ id, attempts: 1 });
  });

  rule('[Q15] a parking whose time has passed is over', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const error = { class: 'usage_limit', message: '' } as const;
    await b.finish(await b.claimOne(), { kind: 'parked', until: b.now - 5, error });
    expect((await b.run(id)).nextRunAt).toBe(b.now);
    expect(await b.claimIds()).toEqual([id]);
  });

  rule('[Q15] a parking lasts as long as it does for a worker whose clock is behind', async (b) => {
    await b.node();
    const { id } = await b.enqueue();
    const { fence } = await b.claimOne();
    const error = { class: 'usage_limit', message: '' } as const;
    const outcome = { kind: 'parked', until: b.now - 3_600_000, error } as const;
    const end = { outcome, retryDelayMs: 0, parkMs: 5000 };
    await b.store.write([{ lane: id, fence, start: true, end }]);
    expect((await b.run(id)).nextRunAt).toBe(b.now + 5000);
  });

  rule('[Q20] a run handed back goes on at once on another node, ahead of its lane', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    const [first] = (await b.enqueueMany(2, { lane: 'l' })) as [string, string];
    const claimed = await b.begin();
    const hint = b.hint(({ ready }) => ready);
    await b.end(claimed, { kind: 'handed_back', reason: 'shutdown' });
    await hint;
    const events = await b.store.listAfter('l', 0, 100);
    expect(events.at(-1)).toMatchObject({
      type: 'run.handed_back',
      payload: { reason: 'shutdown' },
      attempt: 1,
    });
    expect(await b.lane('l')).toMatchObject({ state: 'ready', runId: first, nodeId: null });
    const again = await b.claimOne({ nodeId: 'node-2' });
    expect(again.run).toMatchObject({ id: first, attempts: 1, crashes: 0 });
  });

  rule('[Q20] a run claimed but not started can be handed back', async (b) => {
    await b.node('node-1');
    const { id } = await b.enqueue();
    await b.end(await b.claimOne(), { kind: 'handed_back', reason: 'shutdown' });
    expect(await b.run(id)).toMatchObject({ state: 'queued', attempts: 0, startedAt: null });
    expect(await b.claimIds()).toEqual([id]);
  });
}
