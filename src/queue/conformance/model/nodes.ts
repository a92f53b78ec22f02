import { expect } from 'vitest';
import type { Store } from '../../store.ts';
import { LEASE_MS, NODES, type Step, step } from './step.ts';
import type { World } from './world.ts';

/* Steps for nodes, time and purges. */

export const bury = (world: World, nodeId: string): void => {
  for (const lane of world.lanes) if (lane.node === nodeId) world.crash(lane);
  world.nodes = world.nodes.filter(({ id }) => id !== nodeId);
};

export const takeOver = (provenDead: readonly string[]): Step =>
  step(`takeOver ${provenDead}`, async (world, store) => {
    const gone = world.nodes.filter(({ id }) => provenDead.includes(id) || !world.isAlive(id));
    const held = world.lanes.filter(({ node }) => gone.some(({ id }) => id === node));
    const takenOver = await store.takeOver(provenDead);
    expect(takenOver.map(({ lane }) => lane).sort()).toEqual(held.map(({ id }) => id).sort());
    for (const { id } of gone) bury(world, id);
  });

export const node = (index: number, what: 'join' | 'renew' | 'leave'): Step =>
  step(`${what} n${index}`, async (world, store) => {
    const info = NODES[index] as (typeof NODES)[number];
    const known = world.nodes.find(({ id }) => id === info.id);
    const leaseUntil = world.now + LEASE_MS;
    if (what === 'leave') {
      await store.leave(info.id);
      bury(world, info.id);
    } else if (what === 'renew') {
      const alive = world.isAlive(info.id);
      expect(await store.renew(info.id, LEASE_MS)).toBe(alive);
      if (known !== undefined && alive) known.leaseUntil = leaseUntil;
    } else if (known === undefined) {
      await join(store, info);
      world.nodes.push({ ...info, leaseUntil });
    }
  });

export const join = (store: Store, info: (typeof NODES)[number]): Promise<void> => {
  const identity = { bootId: 'b', pidNamespace: 'p', pid: 1, pidStart: '1', version: '0' };
  return store.join({ ...info, ...identity, roles: ['worker'], types: ['a', 'b'] }, LEASE_MS);
};

export const purge = (ageMs: number): Step =>
  step(`purge older than ${ageMs} ms`, async (world, store) => {
    const before = world.now - ageMs;
    const expected = world.purge(before);
    const purged = await store.purge({ before, limit: 10_000 });
    expect(purged.runs).toBe(expected.runs);
    for (const lane of expected.lanes) expect(await store.getLane(lane), lane).toBeNull();
    // A store may also remove lanes that had no runs before.
    for (const lane of [...world.lanes]) {
      if (world.runs.some((run) => run.lane === lane.id) || lane.kept || lane.held) continue;
      if ((await store.getLane(lane.id)) === null) world.lanes.splice(world.lanes.indexOf(lane), 1);
    }
  });

export const advance = (ms: number): Step =>
  step(`wait ${ms} ms`, async (world) => {
    world.now += ms;
  });
