import { expect } from 'vitest';
import type { Caps, ClaimedRun } from '../store.ts';
import type { Rig, Rule } from './rig.ts';

const caps = (types: Record<string, number>, perOwner: number | null = null): Caps => ({
  types,
  perOwner,
});

/** Caps are counted inside the claim. */
export function capRules(rule: Rule): void {
  rule('[Q2] a type never has more runs executing in the cluster than its cap', async (rig) => {
    await rig.node('node-1');
    await rig.node('node-2');
    await rig.enqueueMany(6);
    const request = { caps: caps({ task: 3 }) };
    const first = await rig.claim(request);
    expect(first).toHaveLength(3);
    expect(await rig.claim({ ...request, nodeId: 'node-2' })).toEqual([]);
    await rig.finish(first[0] as ClaimedRun);
    expect(await rig.claim({ ...request, nodeId: 'node-2' })).toHaveLength(1);
    expect(await rig.claim(request)).toEqual([]);
  });

  rule('[Q2] each type has its own cap', async (rig) => {
    const types = ['agent', 'mail', 'free'];
    await rig.node('node-1', { types });
    for (const type of types) await rig.enqueueMany(5, { type });
    const claimed = await claimAll(rig, { types, caps: caps({ agent: 2, mail: 1 }) });
    const count = (type: string) => claimed.filter(({ run }) => run.type === type).length;
    expect([count('agent'), count('mail'), count('free')]).toEqual([2, 1, 5]);
  });

  rule('[Q2] a type named like a built-in property has no cap', async (rig) => {
    const types = ['constructor', 'toString'];
    await rig.node('node-1', { types });
    await rig.enqueue({ type: 'constructor' });
    await rig.enqueue({ type: 'toString' });
    expect(await claimAll(rig, { types, caps: caps({ agent: 1 }) })).toHaveLength(2);
  });

  rule('[Q2] an owner never has more runs executing than its cap, over all types', async (rig) => {
    const types = ['agent', 'mail'];
    await rig.node('node-1', { types });
    await rig.node('node-2', { types });
    for (const type of types) {
      await rig.enqueueMany(5, { type, owner: 'ann' });
      await rig.enqueueMany(5, { type, owner: 'bob' });
    }
    const request = { types, caps: caps({}, 3) };
    const claimed = await claimAll(rig, request);
    const of = (owner: string) => claimed.filter(({ run }) => run.owner === owner);
    expect([of('ann').length, of('bob').length]).toEqual([3, 3]);
    await rig.finish(of('bob')[0] as ClaimedRun);
    const more = await claimAll(rig, { ...request, nodeId: 'node-2' });
    expect(more.map(({ run }) => run.owner)).toEqual(['bob']);
  });

  rule('[Q2] owners at their cap do not hide other waiting owners', async (rig) => {
    await rig.node();
    for (let i = 0; i < 40; i++) await rig.enqueueMany(2, { owner: `owner-${i}` });
    const request = { limit: 40, caps: caps({}, 1) };
    expect(await claimAll(rig, request)).toHaveLength(40);
    const late = await rig.enqueue({ owner: 'owner-50' });
    expect(await rig.claimIds({ limit: 1, caps: caps({}, 1) })).toEqual([late.id]);
  });

  rule('[Q2] a node executes at most its capacity', async (rig) => {
    await rig.node('node-1', { capacity: 2 });
    await rig.node('node-2', { capacity: 1 });
    await rig.enqueueMany(5);
    const first = await rig.claim();
    expect(first).toHaveLength(2);
    expect(await rig.claim()).toEqual([]);
    expect(await rig.claim({ nodeId: 'node-2' })).toHaveLength(1);
    await rig.finish(first[0] as ClaimedRun);
    expect(await rig.claim()).toHaveLength(1);
  });

  rule('[Q2] a claim returns no more than its limit', async (rig) => {
    await rig.node();
    await rig.enqueueMany(5);
    expect(await rig.claim({ limit: 2 })).toHaveLength(2);
    expect(await rig.claim({ limit: 0 })).toEqual([]);
  });

  rule('[Q2] a cap below the number of executing runs stops none and starts none', async (rig) => {
    await rig.node();
    await rig.enqueueMany(5);
    await rig.claim({ limit: 3 });
    expect(await rig.claim({ caps: caps({ task: 2 }) })).toEqual([]);
    expect(await rig.claim({ caps: caps({ task: 0 }) })).toEqual([]);
    expect(await rig.counts()).toEqual({ dequeued: 3, queued: 2 });
  });

  rule('[Q2] nodes that claim concurrently never exceed a cap together', async (rig) => {
    const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((id) => rig.node(`node-${id}`)));
    for (let i = 0; i < 40; i++) await rig.enqueue({ owner: `owner-${i % 8}` });
    const executing = new Map<string, ClaimedRun>();
    for (let round = 0; round < 10; round++) {
      const claims = nodes.map((nodeId) =>
        rig.claim({ nodeId, limit: 3, caps: caps({ task: 5 }, 2) }),
      );
      for (const one of (await Promise.all(claims)).flat()) executing.set(one.run.id, one);
      expect(executing.size).toBeLessThanOrEqual(5);
      const owners = [...executing.values()].map(({ run }) => run.owner);
      for (const owner of owners) {
        expect(owners.filter((other) => other === owner).length).toBeLessThanOrEqual(2);
      }
      for (const [id, one] of [...executing].slice(0, 2)) {
        await rig.finish(one);
        executing.delete(id);
      }
    }
    expect(await rig.counts()).toMatchObject({ succeeded: 20 });
  });

  rule('[Q2] every way to end an attempt frees its slot', async (rig) => {
    await rig.node();
    const request = { caps: caps({ task: 1 }) };
    await rig.enqueueMany(6);
    await rig.finish(await rig.claimOne(request));
    await rig.finish(await rig.claimOne(request), { kind: 'cancelled' });
    const error = { class: 'timeout', message: '' } as const;
    await rig.finish(await rig.claimOne(request), { kind: 'failed', error });
    const until = rig.now + 60_000;
    await rig.finish(await rig.claimOne(request), { kind: 'parked', until, error });
    await rig.end(await rig.claimOne(request), { kind: 'handed_back', reason: 'stop' });
    expect(await rig.claim(request)).toHaveLength(1);
    expect(await rig.claim(request)).toEqual([]);
  });
}

/** Claims until nothing is left, because a store may hand out its slots over several claims. */
async function claimAll(rig: Rig, request: Parameters<Rig['claim']>[0]): Promise<ClaimedRun[]> {
  const all: ClaimedRun[] = [];
  for (let empty = 0; empty < 2; ) {
    const claimed = await rig.claim(request);
    empty = claimed.length === 0 ? empty + 1 : 0;
    all.push(...claimed);
  }
  return all;
}
