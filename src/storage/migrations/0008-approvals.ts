import type { Migration } from './migration.ts';

/**
 * Questions of agents with their answers, and tool rules. A question is guarded by the lock of its
 * session's lane, like all that is the session's.
 */
const tables = `
CREATE TABLE approvals (
  id ID PRIMARY KEY,
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  attempt BIG NOT NULL,
  call_id ID NOT NULL,
  kind ID NOT NULL CHECK (kind IN ('tool', 'question', 'plan')),
  tool ID NOT NULL,
  input ID NOT NULL,
  digest ID NOT NULL,
  reason ID NOT NULL,
  state ID NOT NULL CHECK (state IN ('pending', 'allowed', 'denied', 'withdrawn')),
  scope ID,
  message ID,
  edited_input ID NOT NULL,
  sealed_input ID,
  decided_by ID,
  created_at BIG NOT NULL,
  decided_at BIG,
  used_at BIG,
  -- Of the attempt that gave the answer to its agent.
  used_fence BIG,
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK ((state IN ('allowed', 'denied')) = (decided_by IS NOT NULL)),
  CHECK (used_at IS NULL OR state IN ('allowed', 'denied'))
);
CREATE INDEX approvals_run ON approvals (run_id, id);
CREATE INDEX approvals_session ON approvals (session_id, id);
CREATE INDEX approvals_state ON approvals (state, id);
-- The same call is asked about once at a time.
CREATE UNIQUE INDEX approvals_open ON approvals (run_id, digest) WHERE state = 'pending';
-- Runs that wait for an answer.
CREATE INDEX lanes_asking ON lanes (id) WHERE state = 'asking' AND answered_at IS NULL;

-- The rules of everything, of a channel or of a session, as JSON.
CREATE TABLE tool_rules (
  place ID PRIMARY KEY,
  session_id ID REFERENCES sessions (id) ON DELETE CASCADE,
  rules ID NOT NULL,
  updated_at BIG NOT NULL
);
CREATE INDEX tool_rules_session ON tool_rules (session_id) WHERE session_id IS NOT NULL;
`;

const sqlite = tables.replaceAll(/\bID\b/g, 'TEXT').replaceAll(/\bBIG\b/g, 'INTEGER');
const postgres = tables.replaceAll(/\bID\b/g, 'text COLLATE "C"').replaceAll(/\bBIG\b/g, 'bigint');

export const approvalTables: Migration = { id: 8, name: 'approvals', sqlite, postgres };
