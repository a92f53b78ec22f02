import { expect } from 'vitest';
import { newId } from '../../contract/ids.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { admission, failed, SUCCEEDED } from '../../queue/conformance/rig.ts';
import { invocation } from '../../sessions/conformance/rig.ts';
import { type AccessBench, type AccessRule, HOUR } from './rig.ts';

const SECOND = 1000;
const DAY = 24 * HOUR;

/** Sends a message whose run begins after `waitMs`; ended if there is an outcome. */
async function run(
  bench: AccessBench,
  sessionId: string,
  waitMs: number,
  outcome: Outcome | null,
): Promise<string> {
  const { store } = bench;
  await bench.node('node-1');
  const { receipt } = await store.sendMessage({
    sessionId,
    admission: admission({ maxAttempts: 1, type: 'agent' }),
    original: null,
    queueMax: 100,
  });
  bench.now += waitMs;
  const caps = { types: {}, perOwner: null };
  const [one] = await store.claim({ nodeId: 'node-1', types: ['agent'], limit: 1, caps });
  expect(one?.run.id).toBe(receipt.id);
  const end = outcome === null ? {} : { end: { outcome, retryDelayMs: 0 } };
  await store.write([{ lane: sessionId, fence: one!.fence, start: true, ...end }]);
  return receipt.id;
}

export function statsRules(rule: AccessRule): void {
  rule('[H6] figures are of what a user may see; an admin’s are of all', async (bench) => {
    const { store } = bench;
    const [ann, bob] = [await bench.user(), await bench.user()];
    const own = await bench.session(ann.id);
    const shared = await bench.session(bob.id);
    const foreign = await bench.session(bob.id);
    await store.putShares(shared, [{ userId: ann.id, level: 'view' }]);
    await run(bench, own, 1 * SECOND, SUCCEEDED);
    await run(bench, shared, 3 * SECOND, failed('command_failed'));
    await run(bench, foreign, 9 * SECOND, SUCCEEDED);
    await run(bench, own, 2 * SECOND, null);
    const waiting = await run(bench, foreign, 9 * SECOND, null);
    const cost = invocation(foreign, waiting, { costUsd: 0.5, finishedAt: bench.now });
    await store.putInvocation(cost);

    const anns = await store.stats(ann.id);
    expect(anns.runs).toEqual(await store.countVisible(ann.id));
    expect(anns.runs).toMatchObject({ succeeded: 1, failed: 1, running: 1 });
    expect(anns.sessions).toMatchObject({ PENDING: 2 });
    expect(anns.queueWaitMs).toEqual({ p50: 2 * SECOND, p95: 3 * SECOND });
    expect(anns.days).toHaveLength(7);
    expect(anns.days.at(-1)).toEqual({
      day: new Date(bench.now).toISOString().slice(0, 10),
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

  rule(
    '[H6] a day is one of UTC, and what is older than seven of them is left out',
    async (bench) => {
      const { store } = bench;
      const own = await bench.session('admin');
      bench.now = Math.ceil(bench.now / DAY) * DAY - 2;
      const first = bench.now;
      await run(bench, own, 0, SUCCEEDED);
      bench.now += 1;
      await run(bench, own, 0, failed('command_failed'));
      bench.now += 1;
      await run(bench, own, 0, SUCCEEDED);
      for (const visibleTo of ['admin', null]) {
        bench.now = first + 2;
        const ends = async () => {
          const { days } = await store.stats(visibleTo);
          return days.map(({ succeeded, failed: not }) => `${succeeded}-${not}`).join(' ');
        };
        expect(await ends()).toBe('0-0 0-0 0-0 0-0 0-0 1-1 1-0');
        bench.now += 5 * DAY;
        expect(await ends()).toBe('1-1 1-0 0-0 0-0 0-0 0-0 0-0');
        bench.now += DAY;
        expect(await ends()).toBe('1-0 0-0 0-0 0-0 0-0 0-0 0-0');
        expect((await store.stats(visibleTo)).queueWaitMs).toBeNull();
      }
    },
  );
}
