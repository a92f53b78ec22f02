import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { isBatonError } from '../contract/errors.ts';
import { lookAtDatabase } from './database-probe.ts';
import { openStore } from './open-store.ts';

/**
 * Brings the configured database up to date and gives the names of the migrations that were applied.
 * One that is up to date is not opened for writing, so that this is safe beside a running node.
 */
export async function migrateDatabase(
  database: Config['database'],
  log: Logger,
  stop: AbortSignal,
): Promise<readonly string[]> {
  const before = await lookAtDatabase(database).catch((error: unknown) => {
    // Opening waits for it.
    if (isBatonError(error, 'database_unreachable')) return undefined;
    throw error;
  });
  if (before?.pending.length === 0) return [];
  const store = await openStore(database, log, stop);
  await store.close();
  const { applied } = await lookAtDatabase(database);
  return applied.filter((name) => before?.applied.includes(name) !== true);
}
