import type { Migration } from './migration.ts';

/**
 * Who and which channel an agent worked for, what it last counted, and what a workspace was like
 * when an attempt began. All columns may be empty: nodes of the version before go on writing rows.
 */
const tables = `
ALTER TABLE invocations ADD COLUMN user_id ID;
ALTER TABLE invocations ADD COLUMN channel ID;
ALTER TABLE sessions ADD COLUMN usage_before ID;

-- The latest of a run; of a session only that of its run under way is of use.
CREATE TABLE attempt_snapshots (
  run_id ID PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  session_id ID NOT NULL,
  attempt BIG NOT NULL,
  kind ID NOT NULL,
  ref ID NOT NULL,
  at BIG NOT NULL
);
CREATE INDEX attempt_snapshots_session ON attempt_snapshots (session_id);
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const costTables: Migration = { id: 9, name: 'cost', sqlite, postgres };
