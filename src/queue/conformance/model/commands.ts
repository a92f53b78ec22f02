import fc from 'fast-check';
import type { OnBusy } from '../../../contract/run.ts';
import type { Store } from '../../store.ts';
import { advance, join, node, purge, takeOver } from './nodes.ts';
import { answer, cancel, configure, edit, move, onLane, remove, retry, stopAll } from './person.ts';
import { LANES, LEASE_MS, NODES, type Step } from './step.ts';
import { claim, enqueue, OUTCOMES, write } from './work.ts';
import { type ModelOutcome, World } from './world.ts';

const index = fc.nat({ max: 200 });
const laneName = fc.constantFrom(...LANES);
const nodeIndex = fc.nat({ max: NODES.length - 1 });
const admission = fc.record({
  lane: fc.option(laneName, { freq: 4 }),
  owner: fc.constantFrom('ann', 'bob'),
  type: fc.constantFrom('a', 'a', 'b'),
  payload: fc.nat({ max: 9 }),
  delayMs: fc.constantFrom(null, null, null, 0, 300, 4000),
  maxAttempts: fc.integer({ min: 1, max: 3 }),
  key: fc.constantFrom(null, null, null, 'k0', 'k1'),
  hash: fc.constantFrom('h0', 'h0', 'h1'),
  onBusy: fc.constantFrom<OnBusy>('enqueue', 'enqueue', 'enqueue', 'interrupt', 'reject'),
});
const wish = fc.record({
  events: fc.nat({ max: 2 }),
  commit: fc.constantFrom(null, null, null, 'succeeded' as const, 'fails' as const),
  ask: fc.boolean(),
  end: fc.option(fc.constantFrom(...(Object.keys(OUTCOMES) as ModelOutcome[])), { freq: 2 }),
});
const types = fc.subarray(['a', 'b'], { minLength: 1 });
const settings = fc.record({
  holdOnFailure: fc.boolean(),
  kept: fc.boolean(),
  host: fc.constantFrom(null, null, 'h0', 'h1'),
});
const target = fc.option(index, { freq: 3 });
const cancelKind = fc.constantFrom('stop' as const, 'interrupt' as const);
const holding = fc.constantFrom('hold' as const, 'resume' as const, 'resume' as const);
const switching = fc.constantFrom('stop' as const, 'resume' as const, 'resume' as const);
const living = fc.constantFrom('renew' as const, 'renew' as const, 'leave' as const);
const waits = fc.constantFrom(1, 100, 700, 1000, 3000, 21_000);
const dead = fc.subarray(
  NODES.map(({ id }) => id),
  { maxLength: 1 },
);

/** All kinds of steps; those that create work are more frequent. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.array(admission, { minLength: 1, maxLength: 3 }).map(enqueue) },
  { weight: 6, arbitrary: fc.tuple(nodeIndex, types, fc.nat({ max: 4 })).map((a) => claim(...a)) },
  { weight: 8, arbitrary: fc.tuple(index, wish).map((a) => write(...a)) },
  { weight: 4, arbitrary: index.map(answer) },
  { weight: 2, arbitrary: fc.tuple(index, cancelKind).map((a) => cancel(...a)) },
  { weight: 1, arbitrary: index.map(edit) },
  { weight: 2, arbitrary: fc.tuple(index, target).map((a) => move(...a)) },
  { weight: 1, arbitrary: index.map(remove) },
  { weight: 1, arbitrary: index.map(retry) },
  { weight: 2, arbitrary: fc.tuple(holding, laneName).map((a) => onLane(...a)) },
  { weight: 1, arbitrary: switching.map(stopAll) },
  { weight: 1, arbitrary: fc.tuple(laneName, settings).map((a) => configure(...a)) },
  { weight: 2, arbitrary: waits.map(advance) },
  { weight: 1, arbitrary: dead.map(takeOver) },
  { weight: 3, arbitrary: nodeIndex.map((n) => node(n, 'join')) },
  { weight: 2, arbitrary: fc.tuple(nodeIndex, living).map((a) => node(...a)) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1000).map(purge) },
);

/** A new world in which all nodes have joined. */
export async function begin(store: Store, clock: { now: number }): Promise<World> {
  const world = new World();
  clock.now = world.now;
  for (const info of NODES) {
    await join(store, info);
    world.nodes.push({ ...info, leaseUntil: world.now + LEASE_MS });
  }
  return world;
}
