import type pg from 'pg';
import { BatonError } from '../../contract/errors.ts';

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

interface Line {
  free: number;
  readonly waiting: Waiting[];
}

const lines = new WeakMap<pg.Pool, Line>();

/**
 * A connection of the pool. Whoever finds all of them lent waits in line here, not in the pool: the
 * pool's time-out is for a server that does not answer, and would take a thousand readers that come
 * back at once for a database that is away. If it is really away, all who wait are told.
 */
export async function lend(pool: pg.Pool): Promise<pg.PoolClient> {
  const line = lineOf(pool);
  if (line.free > 0) line.free--;
  else {
    await new Promise<void>((resolve, reject) => line.waiting.push({ resolve, reject }));
  }
  let client: pg.PoolClient;
  try {
    // The store was closed meanwhile; the pool's own words for that have no code.
    if (pool.ending) throw new BatonError('closed');
    client = await pool.connect();
  } catch (error) {
    const waiting = line.waiting.splice(0);
    give(line);
    for (const { reject } of waiting) reject(error);
    throw error;
  }
  const { release } = client;
  client.release = (broken) => {
    client.release = release;
    release.call(client, broken);
    give(line);
  };
  return client;
}

/** How much of the pool is in use, and who waits in line for it. */
export function poolUse(pool: pg.Pool): { total: number; idle: number; waiting: number } {
  const { totalCount: total, idleCount: idle } = pool;
  return { total, idle, waiting: lineOf(pool).waiting.length };
}

function lineOf(pool: pg.Pool): Line {
  let line = lines.get(pool);
  if (line === undefined) {
    line = { free: pool.options.max, waiting: [] };
    lines.set(pool, line);
  }
  return line;
}

function give(line: Line): void {
  const next = line.waiting.shift();
  if (next === undefined) line.free++;
  else next.resolve();
}
