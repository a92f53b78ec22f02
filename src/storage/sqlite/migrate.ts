import { MIGRATIONS } from '../migrations/list.ts';
import type { Migration } from '../migrations/migration.ts';
import {
  type AppliedMigration,
  CREATE_MIGRATIONS_TABLE,
  planMigrations,
  TAKE_OVER,
} from '../migrations/plan.ts';
import type { Connection } from './connection.ts';

/** Brings the schema up to date in one transaction, under the file's write lock. */
export function migrate(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    connection.exec(CREATE_MIGRATIONS_TABLE);
    const recorded = connection.query({
      text: 'SELECT id, name FROM migrations ORDER BY id',
      values: [],
    });
    const plan = planMigrations(recorded as unknown as AppliedMigration[], migrations);
    if (plan.takeOver) connection.exec(TAKE_OVER);
    for (const migration of plan.pending) {
      if (migration.sqlite !== '') connection.exec(migration.sqlite);
      connection.query({
        text: 'INSERT INTO migrations (id, name, applied_at) VALUES ($1, $2, $3)',
        values: [migration.id, migration.name, Date.now()],
      });
    }
    connection.exec('COMMIT');
  } catch (error) {
    connection.exec('ROLLBACK');
    throw error;
  }
}
