import { expect } from 'vitest';
import type { Outcome } from '../../contract/outcome.ts';
import { newId } from '../../contract/values/ids.ts';
import { admission, failed, SUCCEEDED } from '../../queue/conformance/rig.ts';
import { invocation } from '../../sessions/conformance/rig.ts';
import { type AccessRule, type AccessStoreRig, HOUR } from './rig.ts';

const SECOND = 1000;
const DAY = 24 * HOUR;

/** Sends a message whose run starts after `waitMs`, and ends it if there is an outcome. */
async function run(
  rig: AccessStoreRig,
  sessionId: string,
  waitMs: number,
  outcome: Outcome | null,
): Promise<string> {
  const { store } = rig;
  await rig.node('node-1');
  const { receipt } = await store.sendMessage({
    sessionId,
    admission: admission({ maxAttempts: 1, type: 'agent' }),
    original: null,
    queueMax: 100,
  });
  rig.now += waitMs;
  const caps = { types: {}, perOwner: null };
  const [one] = await store.claim({ nodeId: 'node-1', types: ['agent'], limit: 1, caps });
  expect(one?.run.id).toBe(receipt.id);
  const end = outcome === null ? {} : { end: { outcome, retryDelayMs: 0 } };
  await store.write([{ lane: sessionId, fence: one!.fence, start: true, ...end }]);
  return receipt.id;
}

export function statsRules(rule: AccessRule): void {
  rule('[H6] statistics cover what the user may see; an admin’s cover everything', async (rig) => {
    const { store } = rig;
    const [ann, bob] = [await rig.user(), await rig.user()];
    const own = await rig.session(ann.id);
    const shared = await rig.session(bob.id);
    const foreign = await rig.session(bob.id);
    await store.putShares(shared, [{ userId: ann.id, level: 'view' }]);
    await run(rig, own, 1 * SECOND, SUCCEEDED);
    await run(rig, shared, 3 * SECOND, failed('command_failed'));
    await run(rig, foreign, 9 * SECOND, SUCCEEDED);
    await run(rig, own, 2 * SECOND, null);
    const waiting = await run(rig, foreign, 9 * SECOND, null);
    const cost = invocation(foreign, waiting, { costUsd: 0.5, finishedAt: rig.now });
    await store.putInvocation(cost);

    const anns = await store.stats(ann.id);
    expect(anns.runs).toEqual(await store.countVisible(ann.id));
    expect(anns.runs).toMatchObject({ succeeded: 1, failed: 1, running: 1 });
    expect(anns.sessions).toMatchObject({ PENDING: 2 });
    expect(anns.queueWaitMs).toEqual({ p50: 2 * SECOND, p95: 3 * SECOND });
    expect(anns.days).toHaveLength(7);
    expect(anns.days.at(-1)).toEqual({
      day: new Date(rig.now).toISOString().slice(0, 10),
      succeeded: 1,
      failed: 1,
      cancelled: 0,
      costUsd: 0,
    });

    const all = await store.stats(null);
    expect(all.runs).toEqual(await store.counts());
    expect(all.sessions).toMatchObject({ PENDING: 3 });
    expect(all.queueWaitMs).toEqual({ p50: 3 * SECOND, p95: 9 * SECOND });
    expect(all.days.at(-1)).toMatchObject({ succeeded: 2, failed: 1, costUsd: 0.5 });

    const nobodys = await store.stats(newId());
    expect(nobodys.queueWaitMs).toBeNull();
    expect(nobodys.runs).toMatchObject({ succeeded: 0, running: 0 });
    expect(nobodys.days.at(-1)).toMatchObject({ succeeded: 0, costUsd: 0 });
  });

  rule('[H6] days are UTC days, and anything older than seven of them is left out', async (rig) => {
    const { store } = rig;
    const own = await rig.session('admin');
    rig.now = Math.ceil(rig.now / DAY) * DAY - 2;
    const first = rig.now;
    await run(rig, own, 0, SUCCEEDED);
    rig.now += 1;
    await run(rig, own, 0, failed('command_failed'));
    rig.now += 1;
    await run(rig, own, 0, SUCCEEDED);
    for (const visibleTo of ['admin', null]) {
      rig.now = first + 2;
      const ends = async () => {
        const { days } = await store.stats(visibleTo);
        return days.map(({ succeeded, failed: not }) => `${succeeded}-${not}`).join(' ');
      };
      expect(await ends()).toBe('0-0 0-0 0-0 0-0 0-0 1-1 1-0');
      rig.now += 5 * DAY;
      expect(await ends()).toBe('1-1 1-0 0-0 0-0 0-0 0-0 0-0');
      rig.now += DAY;
      expect(await ends()).toBe('1-0 0-0 0-0 0-0 0-0 0-0 0-0');
      expect((await store.stats(visibleTo)).queueWaitMs).toBeNull();
    }
  });
}
