import { expect } from 'vitest';
import { onTopic, READY } from '../hint.ts';
import { TURN_MS } from '../machine/claim-plan.ts';
import type { ClaimedRun, ClaimRequest } from '../store.ts';
import type { Rig, Rule } from './rig.ts';

const SLOTS = 2;

/** A claim by one host under a cap of two. */
const of = (host: string, rest: Partial<ClaimRequest> = {}): Partial<ClaimRequest> => ({
  nodeId: `node-${host}`,
  caps: { types: { task: SLOTS }, perOwner: null },
  ...rest,
});

const join = (rig: Rig, host: string, more: Parameters<Rig['node']>[1] = {}): Promise<string> =>
  rig.node(`node-${host}`, { host, ...more });

/** Enqueues a run in a lane pinned to a host. */
async function enqueueOn(rig: Rig, host: string, owner: string, lane: string): Promise<string> {
  await rig.change({ do: 'configure', lane, settings: { host, owner } });
  return (await rig.enqueue({ lane, owner })).id;
}

/** An owner with a backlog on host a takes both slots; then a newcomer waits on host b. */
async function newcomer(rig: Rig): Promise<{ running: ClaimedRun[]; late: string }> {
  for (let i = 0; i < 10; i++) await enqueueOn(rig, 'a', 'busy', `busy-${i}`);
  const running = await rig.claim(of('a'));
  expect(running).toHaveLength(SLOTS);
  return { running, late: await enqueueOn(rig, 'b', 'late', 'late-1') };
}

/** Hosts that compete for the slots of one type take turns. */
export function turnRules(rule: Rule): void {
  rule('[Q4] a freed slot is left for an owner on another host', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    const { running, late } = await newcomer(rig);
    await rig.finish(running[0] as ClaimedRun);
    for (let i = 0; i < 5; i++) expect(await rig.claim(of('a'))).toEqual([]);
    expect(await rig.claimIds(of('b'))).toEqual([late]);
    expect(await rig.claim(of('a'))).toEqual([]);
    await rig.finish(running[1] as ClaimedRun);
    expect(await rig.claim(of('a'))).toHaveLength(1);
  });

  rule('[Q4] a host gets one hint for a slot left for it', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    const { running } = await newcomer(rig);
    await rig.finish(running[0] as ClaimedRun);
    const hint = rig.hintOf(READY);
    await rig.claim(of('a'));
    await hint;
    let hints = 0;
    const stop = onTopic(rig.store, READY, () => {
      hints++;
    });
    await rig.claim(of('a'));
    const last = rig.hintOf(READY);
    await rig.enqueue({ owner: 'busy' });
    await last;
    stop();
    expect(hints).toBe(1);
  });

  rule('[Q4] a host that does not take its slot in time loses it', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    const { running, late } = await newcomer(rig);
    await rig.finish(running[0] as ClaimedRun);
    expect(await rig.claim(of('a'))).toEqual([]);
    rig.advance(TURN_MS - 1);
    expect(await rig.claim(of('a'))).toEqual([]);
    rig.advance(1);
    const [claimed] = await rig.claim(of('a'));
    expect(claimed?.run.owner).toBe('busy');
    // The wait happens once, not for every slot.
    await rig.finish(claimed as ClaimedRun);
    const [next] = await rig.claim(of('a'));
    expect(next?.run.owner).toBe('busy');
    // Once the host takes something again, slots are left for it again.
    await rig.finish(next as ClaimedRun);
    expect(await rig.claimIds(of('b'))).toEqual([late]);
    await enqueueOn(rig, 'b', 'other', 'other-1');
    await rig.finish(running[1] as ClaimedRun);
    expect(await rig.claim(of('a'))).toEqual([]);
    expect(await rig.claim(of('b'))).toHaveLength(1);
  });

  rule('[Q4] a host that comes too late for its slot still gets its next turn', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    const { running, late } = await newcomer(rig);
    await rig.finish(running[0] as ClaimedRun);
    expect(await rig.claim(of('a'))).toEqual([]);
    rig.advance(TURN_MS);
    const [claimed] = await rig.claim(of('a'));
    // By the time it claims, all slots are taken again.
    expect(await rig.claim(of('b'))).toEqual([]);
    await rig.finish(claimed as ClaimedRun);
    expect(await rig.claim(of('a'))).toEqual([]);
    expect(await rig.claimIds(of('b'))).toEqual([late]);
  });

  rule('[Q4] a worker with a smaller cap does not block a slot for the others', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    const { running } = await newcomer(rig);
    await rig.finish(running[0] as ClaimedRun);
    const smaller = of('b', { caps: { types: { task: 1 }, perOwner: null } });
    expect(await rig.claim(of('a'))).toEqual([]);
    expect(await rig.claim(smaller)).toEqual([]);
    rig.advance(TURN_MS);
    expect(await rig.claim(of('a'))).toHaveLength(1);
  });

  const absent: Record<string, (rig: Rig) => Promise<unknown>> = {
    'that is away': async () => {},
    'whose lease has expired': async (rig) => {
      await join(rig, 'b', { leaseMs: 1 });
      rig.advance(1);
    },
    'whose workers do not handle the type': (rig) => join(rig, 'b', { types: ['mail'] }),
    'whose workers have no free slot': async (rig) => {
      await join(rig, 'b', { capacity: 1, types: ['task', 'mail'] });
      await rig.change({ do: 'configure', lane: 'mail', settings: { host: 'b' } });
      await rig.enqueue({ type: 'mail', lane: 'mail' });
      expect(await rig.claim(of('b', { types: ['mail'] }))).toHaveLength(1);
    },
  };
  for (const [which, arrange] of Object.entries(absent)) {
    rule(`[Q4] no slot is left for a host ${which}`, async (rig) => {
      await join(rig, 'a', { leaseMs: 60_000 });
      await arrange(rig);
      const { running } = await newcomer(rig);
      await rig.finish(running[0] as ClaimedRun);
      expect(await rig.claim(of('a'))).toHaveLength(1);
    });
  }

  rule('[Q4] no slot is left if there are enough for every host', async (rig) => {
    await join(rig, 'a', { capacity: 3 });
    await join(rig, 'b', { capacity: 2 });
    for (let i = 0; i < 3; i++) await enqueueOn(rig, 'a', 'busy', `busy-${i}`);
    for (let i = 0; i < 3; i++) await enqueueOn(rig, 'b', 'late', `late-${i}`);
    const caps = { types: { task: 5 }, perOwner: null };
    expect(await rig.claim(of('a', { caps }))).toHaveLength(3);
    expect(await rig.claim(of('b', { caps }))).toHaveLength(2);
  });

  rule('[Q4] slots that are free together are shared between owners on two hosts', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    for (let i = 0; i < 5; i++) await enqueueOn(rig, 'a', 'ann', `ann-${i}`);
    for (let i = 0; i < 5; i++) await enqueueOn(rig, 'b', 'bob', `bob-${i}`);
    const caps = { types: { task: 4 }, perOwner: null };
    expect(await rig.claim(of('a', { caps }))).toHaveLength(2);
    const second = [
      ...(await rig.claim(of('b', { caps }))),
      ...(await rig.claim(of('b', { caps }))),
    ];
    expect(second).toHaveLength(2);
  });

  rule('[Q4] lanes of one owner on two hosts are served longest-waiting first', async (rig) => {
    await join(rig, 'a');
    await join(rig, 'b');
    const ids: string[] = [];
    for (const [i, host] of ['a', 'b', 'b', 'a', 'b'].entries()) {
      ids.push(await enqueueOn(rig, host, 'ann', `ann-${i}`));
      rig.advance(1);
    }
    const started: string[] = [];
    const caps = { types: { task: 1 }, perOwner: null };
    for (let i = 0; i < 10; i++) {
      const [claimed] = await rig.claim(of(i % 2 === 0 ? 'a' : 'b', { caps }));
      if (claimed === undefined) continue;
      started.push(claimed.run.id);
      await rig.finish(claimed);
    }
    expect(started).toEqual(ids);
  });
}
