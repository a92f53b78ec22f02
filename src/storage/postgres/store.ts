import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BatonError, isBatonError } from '../../contract/errors.ts';
import { backoff } from '../../contract/functions/growing-wait.ts';
import type { Hint } from '../../queue/hint.ts';
import { keepShared, SharedLease, startRenewing } from '../../queue/membership/lease-renewal.ts';
import type { Clock, KeepLease, LeaseKeeper } from '../../queue/store.ts';
import { type BatonStore, batonStoreOver, type Engine } from '../operations/baton-store.ts';
import { committedValue } from '../operations/dialect.ts';
import type { Answer, WriteCall, WriteName } from '../operations/registry.ts';
import { type Op, query } from '../statement.ts';
import { poolUse } from './checkout.ts';
import { makePool, POOL_SIZE, parseSchema, parseUrl, type Target } from './connect.ts';
import { postgresDialect } from './dialect.ts';
import { HintChannel } from './hints.ts';
import type { LeaseThreadData } from './lease-thread.ts';
import { migrate } from './migrate.ts';
import { OrderedCalls } from './ordered-calls.ts';
import { readOn } from './run.ts';
import { sendTogether, transact } from './transact.ts';

export interface PostgresOptions {
  /**
   * postgres://user:password@host:port/database; must be a direct connection (LISTEN does not work
   * through PgBouncer).
   */
  readonly url: string;
  readonly schema?: string;
  readonly poolSize?: number;
  /** How long to wait for a server that does not respond before giving up. */
  readonly waitMs?: number;
  /** Called before each retry if the server did not respond. */
  readonly onWaiting?: (error: BatonError) => void;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

const CONNECT_AGAIN = { firstMs: 250, capMs: 5000 };
/** After this many transactions, the rows of `run_counts` are summed up. */
const FOLD_EVERY = 500;
const FOLD = `WITH gone AS (DELETE FROM run_counts RETURNING state, n)
  INSERT INTO run_counts SELECT state, sum(n) FROM gone GROUP BY state`;

export type PostgresStore = BatonStore & { pool(): ReturnType<typeof poolUse> };

/** The store on PostgreSQL, for many processes on many machines. */
export async function postgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const target: Target = {
    url: parseUrl(options.url).href,
    schema: parseSchema(options.schema ?? 'baton'),
  };
  await untilReachable(() => migrate(target), options);
  const { clock } = options;
  const pool = makePool(target, options.poolSize ?? POOL_SIZE);
  const dialect = postgresDialect(clock);
  const ordered = new OrderedCalls(
    (call) => transact(pool, dialect, clock, call),
    (sends) => sendTogether(pool, dialect, clock, sends),
  );
  const listeners = new Set<(hint: Hint) => void>();
  const hints = new HintChannel(target, pool, (hint) => {
    for (const listener of listeners) listener(hint);
  });
  await hints.listen();
  let closing: Promise<void> | null = null;
  let untilFold = FOLD_EVERY;

  const call = async <N extends WriteName>(made: WriteCall<N>): Promise<Answer<N>> => {
    if (closing !== null) throw new BatonError('closed');
    // The call is copied now, because the caller may change its objects while the call waits or its
    // transaction is retried.
    const done = await ordered.run(structuredClone(made));
    hints.publish(done.hint);
    if (--untilFold === 0) {
      untilFold = FOLD_EVERY;
      // Nothing waits for this. If it fails, the next attempt does the work.
      readOn(pool, query(FOLD)).catch(() => {});
    }
    return committedValue(done);
  };
  const read = async <T>(op: Op<T>): Promise<T> => {
    if (closing !== null) throw new BatonError('closed');
    return readOn(pool, op);
  };

  const engine: Engine = {
    dialect,
    hints: listeners,
    call,
    read,
    keepLease: (nodeId, keep) =>
      keepLease(target, nodeId, keep, () => call({ name: 'renew', args: [nodeId, keep.leaseMs] })),
    close() {
      closing ??= hints.close().then(() => pool.end());
      return closing;
    },
  };
  return { ...batonStoreOver(engine), pool: () => poolUse(pool) };
}

/**
 * A thread renews the lease; until it has started, the main thread does. On a busy machine, a
 * thread may take longer to start than a short lease lasts. A node that lost its lease this way
 * would join again with another thread, make the machine even busier, and never keep a lease.
 */
function keepLease(
  target: Target,
  nodeId: string,
  options: KeepLease,
  renew: () => Promise<boolean>,
): LeaseKeeper {
  const lease = new SharedLease({ leaseMs: options.leaseMs, sentAt: options.sentAt });
  const entry = new URL(
    `./lease-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
    import.meta.url,
  );
  const workerData: LeaseThreadData = { target, nodeId, buffer: lease.buffer, options };
  const thread = new Worker(entry, { workerData });
  // Without its thread the lease expires, and the worker notices.
  thread.on('error', () => {});
  const stopHere = startRenewing(lease, options, renew);
  thread.once('message', () => void stopHere());
  const exited = new Promise<void>((resolve) => {
    thread.once('exit', () => resolve());
  });
  return keepShared(lease, options, () => {
    thread.postMessage('stop');
    return Promise.all([stopHere(), exited]).then(() => {});
  });
}

/** Retries while the server is unreachable; if the server refuses the connection, fails at once. */
async function untilReachable(
  connect: () => Promise<void>,
  options: PostgresOptions,
): Promise<void> {
  const deadline = performance.now() + (options.waitMs ?? 30_000);
  for (let failures = 1; ; failures++) {
    const wait = backoff(failures, CONNECT_AGAIN);
    try {
      return await connect();
    } catch (error) {
      if (!isBatonError(error, 'database_unreachable') || performance.now() + wait > deadline)
        throw error;
      options.onWaiting?.(error);
      await delay(wait, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  }
}
