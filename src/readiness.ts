import type { Composed } from './compose.ts';
import type { Readiness } from './server/routes/system.ts';

/** A database that has not answered after this is not ready. */
const READY_MS = 2000;

/** What `/readyz` says; null until the database is open. */
export async function readinessOf(composed: Composed | null): Promise<Readiness> {
  if (composed === null) {
    return { database: 'not open yet', migrations: 'not applied yet', lease: 'not taken yet' };
  }
  const answers = await Promise.race([
    composed.queue.counts().then(
      () => true,
      () => false,
    ),
    new Promise<false>((resolve) => setTimeout(resolve, READY_MS, false).unref()),
  ]);
  return {
    database: answers || 'does not answer',
    // A store opens only with the schema of this version.
    migrations: true,
    lease: composed.worker.leaseRemainingMs > 0 || 'not held',
  };
}
