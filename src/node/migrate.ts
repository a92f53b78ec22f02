import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { isBatonError } from '../contract/errors.ts';
import { probeDatabase } from './database-probe.ts';
import { openStore } from './open-store.ts';

/**
 * Applies the pending migrations of the configured database and returns their names. A database
 * that is up to date is not opened for writing, so this is safe while a node is running.
 */
export async function migrateDatabase(
  database: Config['database'],
  log: Logger,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const before = await probeDatabase(database).catch((error: unknown) => {
    // `openStore` waits for the database.
    if (isBatonError(error, 'database_unreachable')) return undefined;
    throw error;
  });
  if (before?.pending.length === 0) return [];
  const store = await openStore(database, log, stop);
  await store.close();
  const { applied } = await probeDatabase(database);
  return applied.filter((name) => before?.applied.includes(name) !== true);
}
