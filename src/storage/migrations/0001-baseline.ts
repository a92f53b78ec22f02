import { accessPostgres, accessSqlite, accessTables } from './baseline/access.ts';
import { queuePostgres, queueSqlite, queueTables } from './baseline/queue.ts';
import { sessionTables } from './baseline/sessions.ts';
import type { Migration } from './migration.ts';

/**
 * The schema that the first twelve migrations created; replaces those migrations (see plan.ts).
 * Placeholders: ID is text compared byte by byte, BIG a 64-bit integer, FLOAT8 a double, SERIAL_KEY
 * an auto-incrementing key. Flags are 0 or 1, times are milliseconds, and JSON is text (jsonb
 * refuses \u0000, which programs sometimes print).
 */
const tables = queueTables + sessionTables + accessTables;

const sqlite = (tables + queueSqlite + accessSqlite)
  .replaceAll('SERIAL_KEY', 'INTEGER PRIMARY KEY AUTOINCREMENT')
  .replaceAll(/\bID\b/g, 'TEXT')
  .replaceAll(/\bBIG\b/g, 'INTEGER')
  .replaceAll(/\bFLOAT8\b/g, 'REAL')
  .replaceAll(/ (?:HOT|WARM);/g, ';')
  // The log is only ever read by key.
  .replaceAll(' CLUSTERED;', ' WITHOUT ROWID;');

/**
 * For rows that change several times: leaves room for new versions on the same page, and vacuums
 * often.
 */
const WARM =
  'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500';

const postgres = (tables + queuePostgres + accessPostgres)
  .replaceAll('SERIAL_KEY', 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
  .replaceAll(/\bID\b/g, 'text COLLATE "C"')
  .replaceAll(/\bBIG\b/g, 'bigint')
  .replaceAll(' WARM;', ` WITH (${WARM});`)
  .replaceAll(' HOT;', ` WITH (${WARM}, autovacuum_vacuum_cost_delay = 0);`)
  .replaceAll(' CLUSTERED;', ';');

export const baseline: Migration = { id: 1, name: 'baseline', sqlite, postgres };
