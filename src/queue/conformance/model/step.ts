import type fc from 'fast-check';
import { expect } from 'vitest';
import type { BatonError } from '../../../contract/errors.ts';
import type { Store } from '../../store.ts';
import { checkAll } from './invariants.ts';
import type { World } from './world.ts';

export interface Real {
  readonly store: Store;
  readonly clock: { now: number };
}

export type Step = fc.AsyncCommand<World, Real>;

export const LEASE_MS = 20_000;
export const NODES = [
  { id: 'n0', host: 'h0', capacity: 2 },
  { id: 'n1', host: 'h0', capacity: 3 },
  { id: 'n2', host: 'h1', capacity: 100 },
];
export const LANES = ['l0', 'l1', 'l2'];

/**
 * Advances the clock by a millisecond, so that no two steps share a timestamp, then acts and
 * compares everything.
 */
export const step = (label: string, run: (world: World, store: Store) => Promise<void>): Step => ({
  check: () => true,
  async run(world, { store, clock }) {
    clock.now = ++world.now;
    await run(world, store);
    clock.now = world.now;
    await checkAll(world, store);
  },
  toString: () => label,
});

/**
 * Applies an operation to a copy of the model and to the store; both must refuse it, or neither.
 */
export async function both(
  world: World,
  expected: (copy: World) => void,
  real: () => Promise<unknown>,
): Promise<void> {
  const copy = world.copy();
  let refusal: string | null = null;
  try {
    expected(copy);
  } catch (error) {
    refusal = (error as Error).message;
  }
  const answer = await real().then(
    () => null,
    (error: BatonError) => error.code ?? error,
  );
  expect(answer).toEqual(refusal);
  if (refusal === null) Object.assign(world, copy);
}

export const refuse = (code: string): never => {
  throw new Error(code);
};

export const pick = <T>(from: readonly T[], index: number): T | undefined =>
  from[index % from.length];

/** Mostly picks an item that fits the step, sometimes any. */
export function pickFitting<T>(
  from: readonly T[],
  index: number,
  fits: (one: T) => boolean,
): T | undefined {
  const fitting = from.filter(fits);
  return pick(index % 5 === 0 || fitting.length === 0 ? from : fitting, Math.floor(index / 5));
}

export const newId = (world: World): string => `run-${String(++world.ids).padStart(4, '0')}`;
