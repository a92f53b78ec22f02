import { expect } from 'vitest';
import type { ClaimedRun, ClaimRequest } from '../store.ts';
import { admission, type Rig, type Rule } from './rig.ts';

const RUN_MS = 1000;

/**
 * A simulated cluster: all runs take equally long, and slots become free together or one after
 * another.
 */
interface World {
  readonly slots: number;
  /** Without hosts, lanes may execute anywhere; otherwise each lane is pinned to one. */
  readonly hosts?: readonly string[];
  readonly users: readonly string[];
  /** The number of lanes of a user. */
  readonly lanesOf: (user: string) => number;
  readonly staggered: boolean;
}

export function fairnessRules(rule: Rule): void {
  const small = [
    [7, 1],
    [7, 2],
    [10, 3],
    [5, 4],
    [3, 8],
    [40, 4],
  ] as const;
  for (const [count, slots] of small) {
    const users = Array.from({ length: count }, (_, i) => `user-${String(i).padStart(3, '0')}`);
    for (const staggered of [false, true]) {
      const how = staggered ? 'that become free one after another' : 'that become free together';
      rule(
        `[Q4] ${count} users and ${slots} slots ${how}: each user starts in time`,
        async (rig) => {
          // Every third user, including the first by name, has many lanes.
          const lanesOf = (user: string) => (users.indexOf(user) % 3 === 0 ? 12 : 1);
          await expectFair(rig, { slots, users, lanesOf, staggered });
        },
      );
    }
  }

  for (const [count, slots] of small) {
    const users = Array.from({ length: count }, (_, i) => `user-${String(i).padStart(3, '0')}`);
    rule(
      `[Q4] ${count} users and ${slots} slots on three hosts: each user starts in time`,
      async (rig) => {
        const lanesOf = (user: string) => (users.indexOf(user) % 3 === 0 ? 12 : 1);
        const hosts = ['host-a', 'host-b', 'host-c'];
        await expectFair(rig, { slots, users, lanesOf, staggered: true, hosts });
      },
    );
  }

  rule('[Q4] one user with a long backlog does not keep a newcomer waiting', async (rig) => {
    await rig.node();
    await rig.enqueueMany(50, { owner: 'aaa' });
    const request = { caps: { types: { task: 2 }, perOwner: null } };
    const running = await rig.claim(request);
    expect(running).toHaveLength(2);
    const newcomer = await rig.enqueue({ owner: 'zzz' });
    await rig.finish(running[0] as ClaimedRun);
    expect(await rig.claimIds(request)).toEqual([newcomer.id]);
  });

  rule('[Q4] slots that become free together are shared between waiting users', async (rig) => {
    await rig.node();
    await rig.enqueueMany(20, { owner: 'ann' });
    await rig.enqueueMany(20, { owner: 'bob' });
    const owners = (await rig.claim({ limit: 8 })).map(({ run }) => run.owner);
    expect(owners.filter((owner) => owner === 'ann')).toHaveLength(4);
    expect(owners.filter((owner) => owner === 'bob')).toHaveLength(4);
  });

  rule('[Q4] lanes of one user are served longest-waiting first', async (rig) => {
    await rig.node();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push((await rig.enqueue({ owner: 'ann' })).id);
      rig.advance(1);
    }
    const started: string[] = [];
    for (let i = 0; i < 5; i++) started.push((await rig.claimOne()).run.id);
    expect(started).toEqual(ids);
  });
}

/** Runs the cluster until every user's first run has started, and checks when it did. */
async function expectFair(rig: Rig, world: World): Promise<void> {
  const { hosts = ['host-1'] } = world;
  for (const host of hosts) await rig.node(host, { host, leaseMs: 3_600_000 });
  for (const [index, owner] of world.users.entries()) {
    const lanes = Array.from({ length: world.lanesOf(owner) }, (_, i) => `${owner}-lane-${i}`);
    for (const [i, lane] of lanes.entries()) {
      if (world.hosts === undefined) continue;
      const host = hosts[(index + i) % hosts.length] as string;
      await rig.change({ do: 'configure', lane, settings: { host, owner } });
    }
    await rig.store.enqueue(lanes.flatMap((lane) => [1, 2].map(() => admission({ lane, owner }))));
  }
  const begin = rig.now;
  const bound = (Math.ceil(world.users.length / world.slots) + 1) * RUN_MS;
  const startedAt = new Map<string, number>();
  const running: { claimed: ClaimedRun; endsAt: number }[] = [];
  const request = { caps: { types: { task: world.slots }, perOwner: null } };
  for (let turn = 0; startedAt.size < world.users.length && rig.now - begin <= 2 * bound; turn++) {
    // The first round has different lengths, so slots become free one after another.
    const length = (slot: number): number =>
      turn === 0 && world.staggered ? Math.ceil((RUN_MS * (slot + 1)) / world.slots) : RUN_MS;
    for (const claimed of await claimAll(rig, hosts, request)) {
      if (!startedAt.has(claimed.run.owner)) startedAt.set(claimed.run.owner, rig.now - begin);
      running.push({ claimed, endsAt: rig.now + length(running.length) });
    }
    const next = Math.min(...running.map(({ endsAt }) => endsAt));
    rig.advance(next - rig.now);
    for (const one of running.splice(0)) {
      if (one.endsAt > rig.now) running.push(one);
      else await rig.finish(one.claimed);
    }
  }
  const late = world.users.filter(
    (user) => (startedAt.get(user) ?? Number.POSITIVE_INFINITY) > bound,
  );
  expect(late).toEqual([]);
}

/** The hosts claim in turn, always in the same order, until none gets anything. */
async function claimAll(
  rig: Rig,
  hosts: readonly string[],
  request: Partial<ClaimRequest>,
): Promise<ClaimedRun[]> {
  const all: ClaimedRun[] = [];
  for (let before = -1; before < all.length; ) {
    before = all.length;
    for (const nodeId of hosts) all.push(...(await rig.claim({ ...request, nodeId })));
  }
  return all;
}
