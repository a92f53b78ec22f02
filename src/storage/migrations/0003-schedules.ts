import type { Migration } from './migration.ts';

/**
 * Schedules. A tick is `next_at`; firing it moves it to `last_at`, and the check between the two is
 * what makes a tick that fires twice impossible. A paused schedule has no tick.
 */
const tables = `
CREATE TABLE schedules (
  id ID PRIMARY KEY,
  cron ID,
  timezone ID NOT NULL,
  at BIG,
  type ID NOT NULL,
  payload ID NOT NULL,
  lane ID,
  owner ID NOT NULL,
  max_attempts BIG NOT NULL,
  paused BIG NOT NULL,
  next_at BIG,
  last_at BIG,
  last_run_id ID,
  version ID NOT NULL,
  created_at BIG NOT NULL,
  updated_at BIG NOT NULL,
  CHECK ((cron IS NULL) <> (at IS NULL)),
  CHECK (paused = 0 OR next_at IS NULL),
  CHECK (next_at > last_at)
);
CREATE INDEX schedules_due ON schedules (next_at, id) WHERE next_at IS NOT NULL;
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const scheduleTable: Migration = { id: 3, name: 'schedules', sqlite, postgres };
