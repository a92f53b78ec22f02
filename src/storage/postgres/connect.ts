import pg from 'pg';
import { BatonError } from '../../contract/errors.ts';

/**
 * Connections for transactions and reads. One more connection listens for hints, and another renews
 * the lease.
 */
export const POOL_SIZE = 10;

export interface Target {
  readonly url: string;
  /** The PostgreSQL schema the tables live in. */
  readonly schema: string;
}

const INT8 = 20;
const NUMERIC = 1700;

/** Milliseconds, fences and counts are far below 2^53, so plain numbers are safe. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/**
 * Settings for each connection. The timeouts keep a lost peer or a stuck lock from holding a lane.
 * Every statement here uses a key, so a plan that reads a whole table is never right, and a plan
 * made while a table was empty must not be kept (measured: claims became 6–100 times slower).
 */
export const SETTINGS = {
  statement_timeout: '15s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '15s',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
} as const;

export function clientConfig(
  target: Target,
  settings: Readonly<Record<string, string>> = SETTINGS,
): pg.ClientConfig {
  const all = { search_path: target.schema, ...settings };
  const url = parseUrl(target.url);
  // Options in the address are kept, but ours come after them and take precedence.
  const theirs = url.searchParams.get('options') ?? '';
  url.searchParams.delete('options');
  return {
    connectionString: url.href,
    application_name: 'baton',
    connectionTimeoutMillis: 5000,
    // Longer than statement_timeout, because this timeout is only for a server that vanished
    // without closing the connection.
    query_timeout: 20_000,
    keepAlive: true,
    options: [theirs, ...Object.entries(all).map(([name, value]) => `-c ${name}=${value}`)]
      .join(' ')
      .trim(),
    types,
  };
}

export function makePool(target: Target, max: number): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(target), max, idleTimeoutMillis: 30_000 });
  // An idle connection that breaks is replaced at the next use; without a listener, the error would
  // be thrown.
  pool.on('error', () => {});
  // The pool removes its own listener while a client is in use. Code that uses a client gets
  // the error from its statement; an error between two statements must not crash the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Refuses an address that is not a PostgreSQL URL; the error does not repeat its password. */
export function parseUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:')) {
    throw new BatonError(
      'invalid_request',
      'The database address is not of the form postgres://user:password@host:port/database.',
      {
        details: { field: 'url' },
      },
    );
  }
  return parsed;
}

const SCHEMA = /^[a-z_][a-z0-9_]{0,40}$/;

export function parseSchema(schema: string): string {
  if (SCHEMA.test(schema)) return schema;
  throw new BatonError(
    'invalid_request',
    'The schema name must be 1–41 lower-case letters, digits or underscores, and must not begin with a digit.',
    { details: { field: 'schema' } },
  );
}
