import { parentPort, workerData } from 'node:worker_threads';
import { SharedLease, startRenewing } from '../../queue/membership/lease-renewal.ts';
import type { KeepLease } from '../../queue/store.ts';
import { renew } from '../operations/nodes.ts';
import { makePool, type Target } from './connect.ts';
import { postgresDialect } from './dialect.ts';
import { inTransaction } from './run.ts';

/*
 * Renews one node's lease on its own connection, so that the lease is not lost if the main thread
 * is blocked or the pool is busy.
 */

export interface LeaseThreadData {
  readonly target: Target;
  readonly nodeId: string;
  readonly buffer: SharedArrayBuffer;
  readonly options: KeepLease;
}

const { target, nodeId, buffer, options } = workerData as LeaseThreadData;
const pool = makePool(target, 1);
const dialect = postgresDialect(undefined);
const stop = startRenewing(new SharedLease(buffer), options, async () => {
  const { value } = await inTransaction(pool, undefined, (now) =>
    renew(dialect, now, nodeId, options.leaseMs),
  );
  return value;
});
parentPort!.postMessage('begun');
parentPort!.once('message', () => {
  void stop()
    .then(() => pool.end())
    .then(() => parentPort!.close());
});
