import { BatonError } from '../../src/contract/errors.ts';
import { memoryStore } from '../../src/queue/memory/store.ts';
import type { Clock, Store } from '../../src/queue/store.ts';
import type { Fault } from './step.ts';

/** A store under simulation that can be made to fail. */
export interface SimStore {
  readonly store: Store;
  /** The number of calls that reached the store. */
  calls: number;
  /** The number of those whose answer was lost after the commit. */
  lost: number;
  /** Makes the next transaction fail at its n-th statement, or after its commit. */
  arm?(at: number | 'after_commit'): void;
  /** Disarms, and returns whether a transaction was committed since `arm`. */
  disarm?(): boolean;
}

export type StoreMaker = (clock: Clock) => SimStore;

export const inMemory: StoreMaker = (clock) => ({
  store: memoryStore({ clock }),
  calls: 0,
  lost: 0,
});

/** The outcome of a call: whether it was committed, and what its caller receives. */
export interface Outcome<T = unknown> {
  readonly committed: boolean;
  readonly value?: T;
  readonly error?: unknown;
}

const unreachable = (): BatonError => new BatonError('database_unreachable');

/** Makes a call with a fault. The outcome contains only what the caller would receive. */
export async function carryOut<T>(
  sim: SimStore,
  fault: Fault,
  call: (store: Store) => Promise<T>,
): Promise<Outcome<T>> {
  const kind = fault?.kind;
  if (kind === 'unreached' || kind === 'crash_before') {
    return { committed: false, error: unreachable() };
  }
  const { store, arm, disarm } = sim;
  sim.calls++;
  const lost = kind === 'answer_lost' || kind === 'crash_after';
  if (lost) sim.lost++;
  if (arm === undefined || disarm === undefined) {
    if (kind === 'statement') return { committed: false, error: unreachable() };
    const outcome = await outcomeOf(call(store));
    return lost && outcome.committed ? { committed: true, error: unreachable() } : outcome;
  }
  if (fault === null) return outcomeOf(call(store));
  arm(fault.kind === 'statement' ? fault.n : 'after_commit');
  const outcome = await outcomeOf(call(store));
  const committed = disarm();
  if (outcome.committed) return lost ? { committed: true, error: unreachable() } : outcome;
  return { committed, error: outcome.error };
}

async function outcomeOf<T>(answer: Promise<T>): Promise<Outcome<T>> {
  try {
    return { committed: true, value: await answer };
  } catch (error) {
    return { committed: false, error };
  }
}
