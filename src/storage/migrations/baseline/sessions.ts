import { SessionStatus } from '../../../contract/session.ts';

const STATUSES = SessionStatus.options.map((status) => `'${status}'`).join(', ');

/**
 * The tables for sessions and what belongs to them: invocations, approvals, tool rules, snapshots,
 * steers and attachments. A session's lane has the same id as the session, and the lane's lock
 * guards all of these rows. Deleting a run or a session also deletes the rows that belong to it.
 */
export const sessionTables = `
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
  -- As in the latest event about connections.
  last_connections BIG NOT NULL,
  created_at BIG NOT NULL,
  updated_at BIG NOT NULL,
  usage_before ID,
  -- When an agent's process last ended.
  last_output_at BIG,
  UNIQUE (owner, name),
  CHECK ((status = 'IDLE') = (idle_since IS NOT NULL)),
  CHECK ((destroy_at IS NOT NULL) = (status = 'IDLE' AND idle_timeout_s > 0)),
  CHECK ((status IN ('ACTIVE', 'IDLE')) = (ready_at IS NOT NULL)),
  CHECK ((status = 'ERROR') = (error IS NOT NULL))
) WARM;
CREATE INDEX sessions_owner ON sessions (owner, id);
CREATE INDEX sessions_status ON sessions (status, id);
CREATE INDEX sessions_destroy ON sessions (destroy_at, id) WHERE destroy_at IS NOT NULL;
CREATE INDEX sessions_told ON sessions (id) WHERE last_connections > 0;

-- A copy of the tags and labels, to search sessions by.
CREATE TABLE session_words (
  kind ID NOT NULL CHECK (kind IN ('tag', 'label')),
  word ID NOT NULL,
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, word, session_id)
);
CREATE INDEX session_words_session ON session_words (session_id);

-- Open streams. A row counts while the lease of its node is valid.
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

-- Messages before masking, encrypted.
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
  error ID,
  user_id ID,
  channel ID
);
CREATE INDEX invocations_run ON invocations (run_id, started_at);
CREATE INDEX invocations_session ON invocations (session_id);
-- For figures over the last days.
CREATE INDEX invocations_finished ON invocations (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE settings (name ID PRIMARY KEY, value ID NOT NULL);

-- Questions of agents with their answers.
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
  -- Of the attempt that delivered the answer to its agent.
  used_fence BIG,
  CHECK ((state = 'pending') = (decided_at IS NULL)),
  CHECK ((state IN ('allowed', 'denied')) = (decided_by IS NOT NULL)),
  CHECK (used_at IS NULL OR state IN ('allowed', 'denied'))
);
CREATE INDEX approvals_run ON approvals (run_id, id);
CREATE INDEX approvals_session ON approvals (session_id, id);
CREATE INDEX approvals_state ON approvals (state, id);
-- One open question per call.
CREATE UNIQUE INDEX approvals_open ON approvals (run_id, digest) WHERE state = 'pending';
-- Lanes whose run waits for an answer.
CREATE INDEX lanes_asking ON lanes (id) WHERE state = 'asking' AND answered_at IS NULL;

-- The rules of the server, of a channel or of a session, as JSON.
CREATE TABLE tool_rules (
  place ID PRIMARY KEY,
  session_id ID REFERENCES sessions (id) ON DELETE CASCADE,
  rules ID NOT NULL,
  updated_at BIG NOT NULL
);
CREATE INDEX tool_rules_session ON tool_rules (session_id) WHERE session_id IS NOT NULL;

-- The workspace when a run's latest attempt began. Only that of a session's current run is used.
CREATE TABLE attempt_snapshots (
  run_id ID PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  session_id ID NOT NULL,
  attempt BIG NOT NULL,
  kind ID NOT NULL,
  ref ID NOT NULL,
  at BIG NOT NULL
);
CREATE INDEX attempt_snapshots_session ON attempt_snapshots (session_id);

-- Messages for an agent at work (Q11 steer). When the run ends, one that was never delivered becomes a
-- run with its id.
CREATE TABLE steers (
  id ID PRIMARY KEY,
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  -- Of its event; messages are delivered in this order.
  seq BIG NOT NULL,
  payload ID NOT NULL,
  sealed ID,
  max_attempts BIG NOT NULL,
  idem_key ID,
  body_hash ID,
  state ID NOT NULL CHECK (state IN ('waiting', 'given', 'queued')),
  -- Of the attempt whose agent received it.
  fence BIG,
  CHECK ((state = 'given') = (fence IS NOT NULL))
);
CREATE INDEX steers_run ON steers (run_id, seq);
CREATE INDEX steers_session ON steers (session_id);
CREATE INDEX steers_waiting ON steers (run_id) WHERE state = 'waiting';
CREATE UNIQUE INDEX steers_idem ON steers (session_id, idem_key) WHERE idem_key IS NOT NULL;

-- Files sent with a message (A11), encrypted.
CREATE TABLE attachments (
  run_id ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  n BIG NOT NULL,
  name ID NOT NULL,
  media_type ID NOT NULL,
  sealed ID NOT NULL,
  PRIMARY KEY (run_id, n)
);
`;
