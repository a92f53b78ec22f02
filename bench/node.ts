import type { Outcome } from '../src/contract/outcome.ts';
import type { AttemptWrite, ClaimedRun, Store } from '../src/queue/store.ts';

/*
 * A node that exists only in the database, to measure a store without a worker's loop.
 */

const NODE = 'bench-node';
export const TYPE = 'noop';

/** Longer than any benchmark, because it is not renewed. */
const LEASE_MS = 3_600_000;

export const join = (store: Store, capacity: number): Promise<void> =>
  store.join(
    {
      id: NODE,
      host: 'bench-host',
      bootId: '',
      pidNamespace: '',
      pid: 0,
      pidStart: '',
      roles: ['worker'],
      types: [TYPE],
      capacity,
      version: '',
    },
    LEASE_MS,
  );

export const claim = (store: Store, limit: number): Promise<ClaimedRun[]> =>
  store.claim({ nodeId: NODE, types: [TYPE], limit, caps: { types: {}, perOwner: null } });

export const finish = (store: Store, claimed: readonly ClaimedRun[]): Promise<void> =>
  end(store, claimed, { kind: 'succeeded', result: null }, true);

/** Returns the runs to the queue, which keeps the size of the backlog. */
export const handBack = (store: Store, claimed: readonly ClaimedRun[]): Promise<void> =>
  end(store, claimed, { kind: 'handed_back', reason: 'measured' }, false);

async function end(
  store: Store,
  claimed: readonly ClaimedRun[],
  outcome: Outcome,
  start: boolean,
): Promise<void> {
  const writes = claimed.map(
    ({ run, fence }): AttemptWrite => ({
      lane: run.lane,
      fence,
      no: 1,
      start,
      end: { outcome, retryDelayMs: 0 },
    }),
  );
  const stored = await store.write(writes);
  if (!stored.every(Boolean)) throw new Error('a write was refused');
}
