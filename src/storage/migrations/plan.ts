import { BatonError } from '../../contract/errors.ts';
import { baseline } from './0001-baseline.ts';
import { MIGRATIONS } from './list.ts';
import type { Migration } from './migration.ts';

/** A row of the table `migrations`. */
export interface AppliedMigration {
  readonly id: number;
  readonly name: string;
}

export interface MigrationPlan {
  /**
   * The database was created by the migrations that the baseline replaced: run `TAKE_OVER` first.
   */
  readonly takeOver: boolean;
  /** The rows of `migrations`, after `TAKE_OVER` if that is needed. */
  readonly applied: readonly AppliedMigration[];
  readonly pending: readonly Migration[];
}

export const CREATE_MIGRATIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS migrations (id integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)';

/**
 * The migrations that the baseline replaced, 1 to 12. Together, they created the baseline's schema.
 */
const REPLACED = [
  'queue',
  'claim',
  'schedules',
  'claim-runs',
  'sessions',
  'send-message',
  'access',
  'approvals',
  'cost',
  'steers',
  'attachments',
  'last output',
];

/**
 * Records the replaced migrations as the baseline. The functions `claim_survey` and `send_message`,
 * which are not in the baseline, stay: nodes running the previous version may still call them.
 */
export const TAKE_OVER = `
UPDATE migrations SET name = '${baseline.name}' WHERE id = ${baseline.id};
DELETE FROM migrations WHERE id BETWEEN 2 AND ${REPLACED.length};
`;

/**
 * Decides what to do based on the migrations already applied; throws if this version cannot use the
 * database (O3).
 */
export function planMigrations(
  recorded: readonly AppliedMigration[],
  known = MIGRATIONS,
): MigrationPlan {
  const replaced = recorded.filter(({ id, name }) => REPLACED[id - 1] === name);
  const takeOver = replaced.length === REPLACED.length;
  if (replaced.length > 0 && !takeOver) throw partlyMigrated(replaced);
  const applied = takeOver
    ? [baseline, ...recorded.slice(REPLACED.length)].map(({ id, name }) => ({ id, name }))
    : recorded;
  for (const { id, name } of applied) {
    const ours = known.find((migration) => migration.id === id);
    if (ours?.name !== name) {
      throw new BatonError(
        'database_newer',
        `The database has migration ${id} (${name}), which this version of Baton does not know. Use the version that created it, or a newer one.`,
        { details: { migration: id, name } },
      );
    }
  }
  const done = new Set(applied.map(({ id }) => id));
  return { takeOver, applied, pending: known.filter(({ id }) => !done.has(id)) };
}

function partlyMigrated(replaced: readonly AppliedMigration[]): BatonError {
  const last = replaced.at(-1)!;
  return new BatonError(
    'database_outdated',
    `The database has only ${replaced.length} of the ${REPLACED.length} migrations that this version of Baton has joined into one; the last is ${last.id} (${last.name}). An early development version made it, and only a database with all ${REPLACED.length} can be upgraded. Start Baton once at commit 308c277, which applies the others, and then this version; or use an empty database.`,
    { details: { migration: last.id, name: last.name } },
  );
}
