import { expect } from 'vitest';
import type { Caps, ClaimedRun } from '../store.ts';
import type { Bench, Rule } from './rig.ts';

const caps = (types: Record<string, number>, perOwner: number | null = null): Caps => ({
  types,
  perOwner,
});

/** Caps are counted inside the claim. */
export function capRules(rule: Rule): void {
  rule('[Q2] a type has at most its cap executing in the cluster', async (b) => {
    await b.node('node-1');
    await b.node('node-2');
    await b.enqueueMany(6);
    const request = { caps: caps({ task: 3 }) };
    const first = await b.claim(request);
    expect(first).toHaveLength(3);
    expect(await b.claim({ ...request, nodeId: 'node-2' })).toEqual([]);
    await b.finish(first[0] as ClaimedRun);
    expect(await b.claim({ ...request, nodeId: 'node-2' })).toHaveLength(1);
    expect(await b.claim(request)).toEqual([]);
  });

  rule('[Q2] each type has its own cap', async (b) => {
    const types = ['agent', 'mail', 'free'];
    await b.node('node-1', { types });
    for (const type of types) await b.enqueueMany(5, { type });
    const claimed = await claimAll(b, { types, caps: caps({ agent: 2, mail: 1 }) });
    const count = (type: string) => claimed.filter(({ run }) => run.type === type).length;
    expect([count('agent'), count('mail'), count('free')]).toEqual([2, 1, 5]);
  });

  rule('[Q2] a type that is named like a built-in property has no cap of its own', async (b) => {
    const types = ['constructor', 'toString'];
    await b.node('node-1', { types });
    await b.enqueue({ type: 'constructor' });
    await b.enqueue({ type: 'toString' });
    expect(await claimAll(b, { types, caps: caps({ agent: 1 }) })).toHaveLength(2);
  });

  rule('[Q2] an owner has at most its cap executing, whatever the types', async (b) => {
    const types = ['agent', 'mail'];
    await b.node('node-1', { types });
    await b.node('node-2', { types });
    for (const type of types) {
      await b.enqueueMany(5, { type, owner: 'ann' });
      await b.enqueueMany(5, { type, owner: 'bob' });
    }
    const request = { types, caps: caps({}, 3) };
    const claimed = await claimAll(b, request);
    const of = (owner: string) => claimed.filter(({ run }) => run.owner === owner);
    expect([of('ann').length, of('bob').length]).toEqual([3, 3]);
    await b.finish(of('bob')[0] as ClaimedRun);
    const more = await claimAll(b, { ...request, nodeId: 'node-2' });
    expect(more.map(({ run }) => run.owner)).toEqual(['bob']);
  });

  rule('[Q2] owners at their cap do not hide others who wait', async (b) => {
    await b.node();
    for (let i = 0; i < 40; i++) await b.enqueueMany(2, { owner: `owner-${i}` });
    const request = { limit: 40, caps: caps({}, 1) };
    expect(await claimAll(b, request)).toHaveLength(40);
    const late = await b.enqueue({ owner: 'owner-50' });
    expect(await b.claimIds({ limit: 1, caps: caps({}, 1) })).toEqual([late.id]);
  });

  rule('[Q2] a node executes at most its capacity', async (b) => {
    await b.node('node-1', { capacity: 2 });
    await b.node('node-2', { capacity: 1 });
    await b.enqueueMany(5);
    const first = await b.claim();
    expect(first).toHaveLength(2);
    expect(await b.claim()).toEqual([]);
    expect(await b.claim({ nodeId: 'node-2' })).toHaveLength(1);
    await b.finish(first[0] as ClaimedRun);
    expect(await b.claim()).toHaveLength(1);
  });

  rule('[Q2] a claim gives no more than asked for', async (b) => {
    await b.node();
    await b.enqueueMany(5);
    expect(await b.claim({ limit: 2 })).toHaveLength(2);
    expect(await b.claim({ limit: 0 })).toEqual([]);
  });

  rule('[Q2] a cap below what executes takes nothing away and gives nothing out', async (b) => {
    await b.node();
    await b.enqueueMany(5);
    await b.claim({ limit: 3 });
    expect(await b.claim({ caps: caps({ task: 2 }) })).toEqual([]);
    expect(await b.claim({ caps: caps({ task: 0 }) })).toEqual([]);
    expect(await b.counts()).toEqual({ dequeued: 3, queued: 2 });
  });

  rule('[Q2] nodes that claim at once never exceed a cap together', async (b) => {
    const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((id) => b.node(`node-${id}`)));
    for (let i = 0; i < 40; i++) await b.enqueue({ owner: `owner-${i % 8}` });
    const executing = new Map<string, ClaimedRun>();
    for (let round = 0; round < 10; round++) {
      const claims = nodes.map((nodeId) =>
        b.claim({ nodeId, limit: 3, caps: caps({ task: 5 }, 2) }),
      );
      for (const one of (await Promise.all(claims)).flat()) executing.set(one.run.id, one);
      expect(executing.size).toBeLessThanOrEqual(5);
      const owners = [...executing.values()].map(({ run }) => run.owner);
      for (const owner of owners) {
        expect(owners.filter((other) => other === owner).length).toBeLessThanOrEqual(2);
      }
      for (const [id, one] of [...executing].slice(0, 2)) {
        await b.finish(one);
        executing.delete(id);
      }
    }
    expect(await b.counts()).toMatchObject({ succeeded: 20 });
  });

  rule('[Q2] every way out of a run frees its slot', async (b) => {
    await b.node();
    const request = { caps: caps({ task: 1 }) };
    await b.enqueueMany(6);
    await b.finish(await b.claimOne(request));
    await b.finish(await b.claimOne(request), { kind: 'cancelled' });
    const error = { class: 'timeout', message: '' } as const;
    await b.finish(await b.claimOne(request), { kind: 'failed', error });
    const until = b.now + 60_000;
    await b.finish(await b.claimOne(request), { kind: 'parked', until, error });
    await b.end(await b.claimOne(request), { kind: 'handed_back', reason: 'stop' });
    expect(await b.claim(request)).toHaveLength(1);
    expect(await b.claim(request)).toEqual([]);
  });
}

/** Claims until nothing more comes: a store may give its slots out in several goes. */
async function claimAll(b: Bench, request: Parameters<Bench['claim']>[0]): Promise<ClaimedRun[]> {
  const all: ClaimedRun[] = [];
  for (let empty = 0; empty < 2; ) {
    const claimed = await b.claim(request);
    empty = claimed.length === 0 ? empty + 1 : 0;
    all.push(...claimed);
  }
  return all;
}
