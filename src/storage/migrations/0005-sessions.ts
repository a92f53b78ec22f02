import { SessionStatus } from '../../contract/session.ts';
import type { Migration } from './migration.ts';

const STATUSES = SessionStatus.options.map((status) => `'${status}'`).join(', ');

/**
 * Sessions and what belongs to them. A session's lane has its id and guards its row: whoever changes
 * a session holds the lane's lock. What hangs on a run or a session goes with it.
 */
const tables = `
CREATE TABLE sessions (
  id ID PRIMARY KEY,
  owner ID NOT NULL,
  name ID NOT NULL,
  description ID NOT NULL,
  tags ID NOT NULL,
  labels ID NOT NULL,
  agent ID NOT NULL,
  workspace ID NOT NULL,
  workspace_path ID,
  isolation ID NOT NULL,
  template_config ID NOT NULL,
  idle_timeout_s BIG NOT NULL CHECK (idle_timeout_s >= 0),
  budget_usd FLOAT8,
  status ID NOT NULL CHECK (status IN (${STATUSES})),
  status_reason ID NOT NULL,
  error ID,
  ready_at BIG,
  idle_since BIG,
  destroy_at BIG,
  last_active_at BIG NOT NULL,
  last_response ID,
  cost_usd FLOAT8 NOT NULL,
  conversation ID,
  forked_from ID,
  archived_at BIG,
  -- The number of connections that the log was last told.
  last_connections BIG NOT NULL,
  created_at BIG NOT NULL,
  updated_at BIG NOT NULL,
  UNIQUE (owner, name),
  CHECK ((status = 'IDLE') = (idle_since IS NOT NULL)),
  CHECK ((destroy_at IS NOT NULL) = (status = 'IDLE' AND idle_timeout_s > 0)),
  CHECK ((status IN ('ACTIVE', 'IDLE')) = (ready_at IS NOT NULL)),
  CHECK ((status = 'ERROR') = (error IS NOT NULL))
) HOT;
CREATE INDEX sessions_owner ON sessions (owner, id);
CREATE INDEX sessions_status ON sessions (status, id);
CREATE INDEX sessions_destroy ON sessions (destroy_at, id) WHERE destroy_at IS NOT NULL;
CREATE INDEX sessions_told ON sessions (id) WHERE last_connections > 0;

-- Tags and labels once more, to find sessions by them.
CREATE TABLE session_words (
  kind ID NOT NULL CHECK (kind IN ('tag', 'label')),
  word ID NOT NULL,
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, word, session_id)
);
CREATE INDEX session_words_session ON session_words (session_id);

-- Open streams. A row counts while the lease of its node lasts.
CREATE TABLE connections (
  id ID PRIMARY KEY,
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  node_id ID NOT NULL,
  user_id ID NOT NULL,
  kind ID NOT NULL CHECK (kind IN ('sse', 'ws')),
  opened_at BIG NOT NULL
);
CREATE INDEX connections_session ON connections (session_id);
CREATE INDEX connections_node ON connections (node_id, session_id);

-- Messages as they were before masking, encrypted.
CREATE TABLE originals (
  run_id ID PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  sealed ID NOT NULL
);

CREATE TABLE invocations (
  id ID PRIMARY KEY,
  run_id ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  session_id ID NOT NULL,
  attempt BIG NOT NULL,
  agent ID NOT NULL,
  started_at BIG NOT NULL,
  finished_at BIG,
  exit_code BIG,
  signal ID,
  input_tokens BIG NOT NULL,
  output_tokens BIG NOT NULL,
  cache_creation_tokens BIG NOT NULL,
  cache_read_tokens BIG NOT NULL,
  model ID,
  cost_usd FLOAT8 NOT NULL,
  cost_source ID,
  tools ID NOT NULL,
  stderr ID NOT NULL,
  error ID
);
CREATE INDEX invocations_run ON invocations (run_id, started_at);
CREATE INDEX invocations_session ON invocations (session_id);

CREATE TABLE settings (name ID PRIMARY KEY, value ID NOT NULL);
`;

const sqlite = tables
  .replaceAll(/\bID\b/g, 'TEXT')
  .replaceAll(/\bBIG\b/g, 'INTEGER')
  .replaceAll(/\bFLOAT8\b/g, 'REAL')
  .replaceAll(' HOT;', ';');
const postgres = tables
  .replaceAll(/\bID\b/g, 'text COLLATE "C"')
  .replaceAll(/\bBIG\b/g, 'bigint')
  .replaceAll(
    ' HOT;',
    ' WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);',
  );

export const sessionTables: Migration = { id: 5, name: 'sessions', sqlite, postgres };
