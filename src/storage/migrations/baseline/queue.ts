import { RunState, TERMINAL_STATES } from '../../../contract/run.ts';

const list = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** Runs that have begun but not ended: the index `runs_one_begun` allows one such run per lane. */
const BEGUN = list(['dequeued', 'running', 'waiting', 'retry_scheduled']);

/** The tables for nodes, lanes, runs, the event log and schedules. */
export const queueTables = `
CREATE TABLE nodes (
  id ID PRIMARY KEY,
  host ID NOT NULL,
  boot_id ID NOT NULL,
  pid_namespace ID NOT NULL,
  pid BIG NOT NULL,
  pid_start ID NOT NULL,
  roles ID NOT NULL,
  types ID NOT NULL,
  capacity BIG NOT NULL CHECK (capacity >= 0),
  version ID NOT NULL,
  lease_until BIG NOT NULL,
  started_at BIG NOT NULL
) HOT;

CREATE TABLE lanes (
  id ID PRIMARY KEY,
  owner ID NOT NULL,
  -- '' is any host. Not NULL: PostgreSQL does not use the order of an index after IS NULL.
  host ID NOT NULL,
  pin BIG NOT NULL,
  hold_on_failure BIG NOT NULL,
  kept BIG NOT NULL,
  state ID NOT NULL CHECK (state IN ('idle', 'delayed', 'ready', 'running', 'asking')),
  held BIG NOT NULL,
  run_id ID,
  head_type ID,
  queued BIG NOT NULL CHECK (queued >= 0),
  ready_at BIG NOT NULL,
  fence BIG NOT NULL,
  node_id ID,
  last_write BIG NOT NULL,
  cancel ID CHECK (cancel IN ('stop', 'interrupt')),
  answered_at BIG,
  next_position BIG NOT NULL,
  last_position BIG NOT NULL,
  next_seq BIG NOT NULL,
  CHECK ((node_id IS NULL) = (fence = 0)),
  CHECK (state <> 'running' OR (node_id IS NOT NULL AND run_id IS NOT NULL)),
  CHECK (state <> 'ready' OR head_type IS NOT NULL)
) HOT;
CREATE INDEX lanes_ready ON lanes (head_type, host, owner, ready_at, id) WHERE state = 'ready' AND held = 0;
CREATE INDEX lanes_delayed ON lanes (ready_at) WHERE state = 'delayed';
CREATE INDEX lanes_executing ON lanes (owner, head_type) WHERE state = 'running';
CREATE INDEX lanes_answered ON lanes (answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX lanes_node ON lanes (node_id) WHERE node_id IS NOT NULL;

CREATE TABLE runs (
  id ID PRIMARY KEY,
  lane ID NOT NULL,
  owner ID NOT NULL,
  type ID NOT NULL,
  payload ID NOT NULL,
  state ID NOT NULL CHECK (state IN (${list(RunState.options)})),
  attempts BIG NOT NULL CHECK (attempts >= 0),
  max_attempts BIG NOT NULL,
  crashes BIG NOT NULL,
  position BIG,
  retry_of ID,
  idem_scope ID,
  idem_key ID,
  body_hash ID,
  kept BIG NOT NULL,
  created_at BIG NOT NULL,
  updated_at BIG NOT NULL,
  run_at BIG,
  next_run_at BIG,
  started_at BIG,
  finished_at BIG,
  cancel_requested_at BIG,
  error_class ID,
  error_message ID,
  result ID,
  settled ID,
  first_seq BIG NOT NULL,
  last_seq BIG,
  CHECK ((finished_at IS NOT NULL) = (state IN (${list(TERMINAL_STATES)})))
) HOT;
CREATE UNIQUE INDEX runs_place ON runs (lane, position);
CREATE UNIQUE INDEX runs_one_begun ON runs (lane) WHERE state IN (${BEGUN});
CREATE UNIQUE INDEX runs_idempotency ON runs (idem_scope, idem_key) WHERE idem_key IS NOT NULL;
CREATE INDEX runs_due ON runs (run_at, id) WHERE position IS NULL AND state = 'queued';
CREATE INDEX runs_finished ON runs (finished_at) WHERE finished_at IS NOT NULL AND kept = 0;
-- For figures over the last days.
CREATE INDEX runs_ended ON runs (finished_at, state) WHERE finished_at IS NOT NULL AND kept = 1;

CREATE TABLE events (
  lane ID NOT NULL,
  seq BIG NOT NULL,
  run_id ID,
  attempt BIG,
  type ID NOT NULL,
  payload ID NOT NULL,
  at BIG NOT NULL,
  PRIMARY KEY (lane, seq)
) CLUSTERED;

-- The owner that each type's last claim ended with; the next claim starts after it.
CREATE TABLE claim_cursors (type ID PRIMARY KEY, owner ID NOT NULL);

-- Changes to the number of runs per state; their sum is the count. Transactions only add rows, so none
-- waits for another on a counter. The rows are summed up from time to time.
CREATE TABLE run_counts (state ID NOT NULL, n BIG NOT NULL);

-- Firing a tick moves next_at to last_at; the check between the two makes it impossible to fire one
-- twice. A paused schedule has no next tick.
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

/** There is only one writer, so it can add to one row per state without waiting for anyone. */
export const queueSqlite = `
CREATE TABLE fences (last INTEGER NOT NULL);
INSERT INTO fences VALUES (0);
INSERT INTO run_counts VALUES ${RunState.options.map((state) => `('${state}', 0)`).join(', ')};
CREATE TRIGGER runs_terminal_for_good BEFORE UPDATE OF state ON runs
WHEN old.state IN (${list(TERMINAL_STATES)}) AND new.state <> old.state
BEGIN SELECT RAISE(ABORT, 'a finished run never changes its state'); END;
`;

export const queuePostgres = `
CREATE SEQUENCE fences;
CREATE FUNCTION refuse_change_of_finished() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'a finished run never changes its state'; END $$;
CREATE TRIGGER runs_terminal_for_good BEFORE UPDATE OF state ON runs FOR EACH ROW
WHEN (old.state IN (${list(TERMINAL_STATES)}) AND new.state <> old.state)
EXECUTE FUNCTION refuse_change_of_finished();
`;
