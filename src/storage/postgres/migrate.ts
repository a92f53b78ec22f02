import pg from 'pg';
import { CREATE_MIGRATIONS_TABLE, MIGRATIONS, pending } from '../migrations/all.ts';
import type { Migration } from '../migrations/migration.ts';
import { clientConfig, type Target } from './connect.ts';
import { toBatonError } from './errors.ts';

/** Any number, the same in every version: nodes that start together migrate one after another. */
const LOCK = 7_247_001;

/** Brings the schema up to date, one migration a transaction, under a lock over all nodes. */
export async function migrate(
  target: Target,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  // A migration may take long, and may need plans of its own.
  const client = new pg.Client({ ...clientConfig(target, {}), query_timeout: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCK, target.schema]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${target.schema}`);
    await client.query(CREATE_MIGRATIONS_TABLE);
    const applied = await client.query<{ id: number; name: string }>(
      'SELECT id, name FROM migrations ORDER BY id',
    );
    for (const migration of pending(applied.rows, migrations)) {
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
    // Closing the connection frees the lock, and rolls back what was under way.
    await client.end().catch(() => {});
  }
}
