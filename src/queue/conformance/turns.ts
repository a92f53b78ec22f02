import { expect } from 'vitest';
import { TURN_MS } from '../machine/claim-plan.ts';
import type { ClaimedRun, ClaimRequest } from '../store.ts';
import type { Bench, Rule } from './rig.ts';

const SLOTS = 2;

/** Claims of one host under a cap of two. */
const of = (host: string, rest: Partial<ClaimRequest> = {}): Partial<ClaimRequest> => ({
  nodeId: `node-${host}`,
  caps: { types: { task: SLOTS }, perOwner: null },
  ...rest,
});

const join = (b: Bench, host: string, more: Parameters<Bench['node']>[1] = {}): Promise<string> =>
  b.node(`node-${host}`, { host, ...more });

/** A run in a lane that belongs to a host. */
async function enqueueOn(b: Bench, host: string, owner: string, lane: string): Promise<string> {
  await b.change({ do: 'configure', lane, settings: { host, owner } });
  return (await b.enqueue({ lane, owner })).id;
}

/** Both slots are taken by somebody with a backlog on host a; then a newcomer waits on host b. */
async function newcomer(b: Bench): Promise<{ running: ClaimedRun[]; late: string }> {
  for (let i = 0; i < 10; i++) await enqueueOn(b, 'a', 'busy', `busy-${i}`);
  const running = await b.claim(of('a'));
  expect(running).toHaveLength(SLOTS);
  return { running, late: await enqueueOn(b, 'b', 'late', 'late-1') };
}

/** Hosts that compete for the slots of one type take turns. */
export function turnRules(rule: Rule): void {
  rule('[Q4] a slot that a host frees is left for the user of another host', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    const { running, late } = await newcomer(b);
    await b.finish(running[0] as ClaimedRun);
    for (let i = 0; i < 5; i++) expect(await b.claim(of('a'))).toEqual([]);
    expect(await b.claimIds(of('b'))).toEqual([late]);
    expect(await b.claim(of('a'))).toEqual([]);
    await b.finish(running[1] as ClaimedRun);
    expect(await b.claim(of('a'))).toHaveLength(1);
  });

  rule('[Q4] a host that a slot is left for is hinted once', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    const { running } = await newcomer(b);
    await b.finish(running[0] as ClaimedRun);
    const hint = b.hint(({ ready }) => ready);
    await b.claim(of('a'));
    await hint;
    let hints = 0;
    const stop = b.store.onHint(({ ready }) => {
      hints += ready ? 1 : 0;
    });
    await b.claim(of('a'));
    const last = b.hint(({ ready }) => ready);
    await b.enqueue({ owner: 'busy' });
    await last;
    stop();
    expect(hints).toBe(1);
  });

  rule('[Q4] a host that does not come in its turn is not waited for', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    const { running, late } = await newcomer(b);
    await b.finish(running[0] as ClaimedRun);
    expect(await b.claim(of('a'))).toEqual([]);
    b.advance(TURN_MS - 1);
    expect(await b.claim(of('a'))).toEqual([]);
    b.advance(1);
    const [given] = await b.claim(of('a'));
    expect(given?.run.owner).toBe('busy');
    // It costs that time once, not at every slot.
    await b.finish(given as ClaimedRun);
    const [next] = await b.claim(of('a'));
    expect(next?.run.owner).toBe('busy');
    // Back again, it has its turns again.
    await b.finish(next as ClaimedRun);
    expect(await b.claimIds(of('b'))).toEqual([late]);
    await enqueueOn(b, 'b', 'other', 'other-1');
    await b.finish(running[1] as ClaimedRun);
    expect(await b.claim(of('a'))).toEqual([]);
    expect(await b.claim(of('b'))).toHaveLength(1);
  });

  rule('[Q4] a host that came too late for its slot keeps its next turn', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    const { running, late } = await newcomer(b);
    await b.finish(running[0] as ClaimedRun);
    expect(await b.claim(of('a'))).toEqual([]);
    b.advance(TURN_MS);
    const [given] = await b.claim(of('a'));
    // All slots are taken again when it comes.
    expect(await b.claim(of('b'))).toEqual([]);
    await b.finish(given as ClaimedRun);
    expect(await b.claim(of('a'))).toEqual([]);
    expect(await b.claimIds(of('b'))).toEqual([late]);
  });

  rule('[Q4] a worker that has a smaller cap keeps no slot from the others', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    const { running } = await newcomer(b);
    await b.finish(running[0] as ClaimedRun);
    const smaller = of('b', { caps: { types: { task: 1 }, perOwner: null } });
    expect(await b.claim(of('a'))).toEqual([]);
    expect(await b.claim(smaller)).toEqual([]);
    b.advance(TURN_MS);
    expect(await b.claim(of('a'))).toHaveLength(1);
  });

  const absent: Record<string, (b: Bench) => Promise<unknown>> = {
    'that is away': async () => {},
    'whose lease has ended': async (b) => {
      await join(b, 'b', { leaseMs: 1 });
      b.advance(1);
    },
    'whose workers do not handle the type': (b) => join(b, 'b', { types: ['mail'] }),
    'whose workers have no free slot': async (b) => {
      await join(b, 'b', { capacity: 1, types: ['task', 'mail'] });
      await b.change({ do: 'configure', lane: 'mail', settings: { host: 'b' } });
      await b.enqueue({ type: 'mail', lane: 'mail' });
      expect(await b.claim(of('b', { types: ['mail'] }))).toHaveLength(1);
    },
  };
  for (const [which, arrange] of Object.entries(absent)) {
    rule(`[Q4] no slot is left for a host ${which}`, async (b) => {
      await join(b, 'a', { leaseMs: 60_000 });
      await arrange(b);
      const { running } = await newcomer(b);
      await b.finish(running[0] as ClaimedRun);
      expect(await b.claim(of('a'))).toHaveLength(1);
    });
  }

  rule('[Q4] no slot is left where there are enough for every host', async (b) => {
    await join(b, 'a', { capacity: 3 });
    await join(b, 'b', { capacity: 2 });
    for (let i = 0; i < 3; i++) await enqueueOn(b, 'a', 'busy', `busy-${i}`);
    for (let i = 0; i < 3; i++) await enqueueOn(b, 'b', 'late', `late-${i}`);
    const caps = { types: { task: 5 }, perOwner: null };
    expect(await b.claim(of('a', { caps }))).toHaveLength(3);
    expect(await b.claim(of('b', { caps }))).toHaveLength(2);
  });

  rule('[Q4] slots that are free at once are shared between the users of two hosts', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    for (let i = 0; i < 5; i++) await enqueueOn(b, 'a', 'ann', `ann-${i}`);
    for (let i = 0; i < 5; i++) await enqueueOn(b, 'b', 'bob', `bob-${i}`);
    const caps = { types: { task: 4 }, perOwner: null };
    expect(await b.claim(of('a', { caps }))).toHaveLength(2);
    const second = [...(await b.claim(of('b', { caps }))), ...(await b.claim(of('b', { caps })))];
    expect(second).toHaveLength(2);
  });

  rule('[Q4] lanes of one user on two hosts are served longest ready first', async (b) => {
    await join(b, 'a');
    await join(b, 'b');
    const ids: string[] = [];
    for (const [i, host] of ['a', 'b', 'b', 'a', 'b'].entries()) {
      ids.push(await enqueueOn(b, host, 'ann', `ann-${i}`));
      b.advance(1);
    }
    const started: string[] = [];
    const caps = { types: { task: 1 }, perOwner: null };
    for (let i = 0; i < 10; i++) {
      const [claimed] = await b.claim(of(i % 2 === 0 ? 'a' : 'b', { caps }));
      if (claimed === undefined) continue;
      started.push(claimed.run.id);
      await b.finish(claimed);
    }
    expect(started).toEqual(ids);
  });
}
