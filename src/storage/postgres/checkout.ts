import type pg from 'pg';
import { BatonError } from '../../contract/errors.ts';

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

interface WaitQueue {
  free: number;
  readonly waiting: Waiting[];
}

const queues = new WeakMap<pg.Pool, WaitQueue>();

/**
 * Checks out a connection from the pool. If all connections are in use, callers wait in a queue
 * here, not in the pool. The pool's timeout is meant for a server that does not respond; if a
 * thousand readers reconnected at once, the pool would conclude that the database is unreachable.
 * If the database really is unreachable, all waiting callers are rejected.
 */
export async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  const queue = queueOf(pool);
  if (queue.free > 0) queue.free--;
  else {
    await new Promise<void>((resolve, reject) => queue.waiting.push({ resolve, reject }));
  }
  let client: pg.PoolClient;
  try {
    // The store was closed while this call waited; the pool's own error for that has no code.
    if (pool.ending) throw new BatonError('closed');
    client = await pool.connect();
  } catch (error) {
    const waiting = queue.waiting.splice(0);
    free(queue);
    for (const { reject } of waiting) reject(error);
    throw error;
  }
  const { release } = client;
  client.release = (broken) => {
    client.release = release;
    release.call(client, broken);
    free(queue);
  };
  return client;
}

/** How much of the pool is in use, and how many callers are waiting for a connection. */
export function poolUse(pool: pg.Pool): { total: number; idle: number; waiting: number } {
  const { totalCount: total, idleCount: idle } = pool;
  return { total, idle, waiting: queueOf(pool).waiting.length };
}

function queueOf(pool: pg.Pool): WaitQueue {
  let queue = queues.get(pool);
  if (queue === undefined) {
    queue = { free: pool.options.max, waiting: [] };
    queues.set(pool, queue);
  }
  return queue;
}

function free(queue: WaitQueue): void {
  const next = queue.waiting.shift();
  if (next === undefined) queue.free++;
  else next.resolve();
}
