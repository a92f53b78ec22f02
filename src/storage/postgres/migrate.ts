import pg from 'pg';
import { MIGRATIONS } from '../migrations/list.ts';
import type { Migration } from '../migrations/migration.ts';
import {
  type AppliedMigration,
  CREATE_MIGRATIONS_TABLE,
  planMigrations,
  TAKE_OVER,
} from '../migrations/plan.ts';
import { clientConfig, type Target } from './connect.ts';
import { toBatonError } from './errors.ts';

/**
 * An arbitrary number, the same in every version, so that nodes that start together migrate one
 * after another.
 */
const LOCK = 7_247_001;

/**
 * Brings the schema up to date, one transaction per migration, under a lock that all nodes share.
 */
export async function migrate(
  target: Target,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  // This connection lacks the time limit and planner settings of the others, because a migration
  // may take a long time.
  const client = new pg.Client({ ...clientConfig(target, {}), query_timeout: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCK, target.schema]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${target.schema}`);
    await client.query(CREATE_MIGRATIONS_TABLE);
    const recorded = await client.query<AppliedMigration>(
      'SELECT id, name FROM migrations ORDER BY id',
    );
    const plan = planMigrations(recorded.rows, migrations);
    if (plan.takeOver) await client.query(`BEGIN; ${TAKE_OVER} COMMIT`);
    for (const migration of plan.pending) {
      await client.query('BEGIN');
      if (migration.postgres !== '') await client.query(migration.postgres);
      await client.query('INSERT INTO migrations (id, name, applied_at) VALUES ($1, $2, $3)', [
        migration.id,
        migration.name,
        Date.now(),
      ]);
      await client.query('COMMIT');
    }
  } catch (error) {
    throw toBatonError(error);
  } finally {
    // Closing the connection releases the lock and rolls back an open transaction.
    await client.end().catch(() => {});
  }
}
