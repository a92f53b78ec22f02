import type { Migration } from './migration.ts';

/**
 * Messages for an agent at work (Q11 `steer`). Guarded by the lock of the session's lane. One that was
 * never given becomes a run with its id when the run it was for has ended.
 */
const tables = `
CREATE TABLE steers (
  id ID PRIMARY KEY,
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  -- Of its event, which is the order they are given in.
  seq BIG NOT NULL,
  payload ID NOT NULL,
  sealed ID,
  max_attempts BIG NOT NULL,
  idem_key ID,
  body_hash ID,
  state ID NOT NULL CHECK (state IN ('waiting', 'given', 'queued')),
  -- Of the attempt whose agent was given it.
  fence BIG,
  CHECK ((state = 'given') = (fence IS NOT NULL))
);
CREATE INDEX steers_run ON steers (run_id, seq);
CREATE INDEX steers_session ON steers (session_id);
CREATE INDEX steers_waiting ON steers (run_id) WHERE state = 'waiting';
CREATE UNIQUE INDEX steers_idem ON steers (session_id, idem_key) WHERE idem_key IS NOT NULL;
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const steerTable: Migration = { id: 10, name: 'steers', sqlite, postgres };
