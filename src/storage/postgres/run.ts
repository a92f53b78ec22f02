import type pg from 'pg';
import type { Clock } from '../../queue/store.ts';
import type { Op } from '../statement.ts';
import { checkOut } from './checkout.ts';
import { isAway, toBatonError } from './errors.ts';

/* Runs operations on connections. transact.ts decides which operations need a transaction. */

export const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Runs one operation in one transaction, with the database's time as `now`. */
export async function inTransaction<T>(
  pool: pg.Pool,
  clock: Clock | undefined,
  start: (now: number) => Op<T>,
): Promise<T> {
  const client = await checkOut(pool);
  try {
    const now = await begin(client, clock);
    const value = await runOn(client, start(now));
    await client.query('COMMIT');
    client.release();
    return value;
  } catch (error) {
    await releaseAfter(client, error);
    throw error;
  }
}

/** Begins the transaction and reads the database's time in one round trip. */
async function begin(client: pg.PoolClient, clock: Clock | undefined): Promise<number> {
  const [, time] = (await client.query(
    `BEGIN; SELECT ${NOW} AS now`,
  )) as unknown as pg.QueryResult<{ now: number }>[];
  return clock === undefined ? time!.rows[0]!.now : clock();
}

async function releaseAfter(client: pg.PoolClient, error: unknown): Promise<void> {
  // A connection in an unknown state is not used again.
  if (isAway(error)) return client.release(true);
  try {
    await client.query('ROLLBACK');
    client.release();
  } catch {
    client.release(true);
  }
}

/** Runs a reading operation outside a transaction. */
export async function readOn<T>(pool: pg.Pool, op: Op<T>): Promise<T> {
  try {
    return await runAlone(pool, op);
  } catch (error) {
    throw toBatonError(error);
  }
}

/**
 * Runs an operation without a transaction around it: each statement commits on its own. Checks out
 * a connection only when the first statement runs, because an operation may need no statements.
 */
export async function runAlone<T>(pool: pg.Pool, op: Op<T>): Promise<T> {
  const first = op.next();
  if (first.done === true) return first.value;
  const client = await checkOut(pool);
  try {
    const value = await runOn(client, op, first);
    client.release();
    return value;
  } catch (error) {
    client.release(isAway(error));
    throw error;
  }
}

async function runOn<T>(client: pg.PoolClient, op: Op<T>, first = op.next()): Promise<T> {
  let step = first;
  while (step.done !== true) {
    const { text, values, name } = step.value;
    const config =
      name === undefined ? { text, values: [...values] } : { text, values: [...values], name };
    const result = await client.query(config);
    step = op.next(result.rows);
  }
  return step.value;
}
