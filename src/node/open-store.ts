import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { BatonStore } from '../storage/operations/baton-store.ts';
import { type PostgresStore, postgresStore } from '../storage/postgres/store.ts';
import { type SqliteStore, sqliteStore } from '../storage/sqlite/store.ts';

/** Only PostgreSQL has a pool, and only SQLite has a file. */
export type OpenStore = BatonStore &
  Partial<Pick<PostgresStore, 'pool'> & Pick<SqliteStore, 'isThere'>>;

/** Opens the configured database. While PostgreSQL is unavailable, waits for it until `stop`. */
export function openStore(
  database: Config['database'],
  log: Logger,
  stop: AbortSignal,
): Promise<OpenStore> {
  if (database.kind === 'sqlite') return openSqlite(database.path, log);
  return postgresStore({
    url: database.url,
    waitMs: Number.POSITIVE_INFINITY,
    onWaiting: ({ message }) => log.warn({ reason: message }, 'Waiting for the database; retrying'),
    signal: stop,
  });
}

/**
 * Logs if opening takes long: another process that is shutting down may still hold the database, or
 * the machine is busy. Only the writer's thread knows which.
 */
async function openSqlite(path: string, log: Logger): Promise<SqliteStore> {
  const opened = new AbortController();
  delay(1000, undefined, { signal: opened.signal }).then(
    () => log.warn({ path }, 'Still opening the database; another process may be using it'),
    () => {},
  );
  return await sqliteStore({ path }).finally(() => opened.abort());
}
