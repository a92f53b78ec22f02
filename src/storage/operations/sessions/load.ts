import type { ShareLevel } from '../../../contract/access.ts';
import { BatonError } from '../../../contract/errors.ts';
import { LaneChange } from '../../../queue/machine/lane-change.ts';
import type { Facts } from '../../../sessions/session-machine.ts';
import type { SessionWithFacts } from '../../../sessions/session-record.ts';
import type { SessionFor } from '../../../sessions/session-store.ts';
import {
  SESSION_COLUMNS,
  type SessionFactsRow,
  type SessionRow,
  type StoredSession,
  toSessionWithFacts,
  toStoredSession,
} from '../../session-rows.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import type { Dialect } from '../dialect.ts';
import { nameOfHost, withoutWorker } from '../queue-reads.ts';

/** A session under its lane's lock, with the facts that its state machine needs. */
export interface LoadedSession {
  readonly change: LaneChange;
  readonly session: StoredSession;
  readonly facts: Facts;
}

/** Runs that have not joined their lane yet; uses the index `runs_not_joined`. */
const NOT_JOINED = `SELECT count(*) FROM runs r WHERE r.lane = l.id AND r.position IS NULL AND r.state = 'queued'`;

/* Facts about a session `s` with its lane `l`, at the time in $1. */
const UNFINISHED = `CASE WHEN l.run_id IS NULL THEN 0 ELSE 1 END + l.queued + (${NOT_JOINED})`;
const CONNECTIONS = `(SELECT count(*) FROM connections c JOIN nodes n ON n.id = c.node_id WHERE c.session_id = s.id AND n.lease_until > $1)`;
const QUESTIONS = `(SELECT count(*) FROM approvals q WHERE q.run_id = l.run_id AND q.state = 'pending')`;
const HOST_AWAY = `CASE WHEN l.host <> '' AND ${withoutWorker('l.host')} THEN 1 ELSE 0 END`;

/** The caller appends conditions, order and limit. `more` adds a column; $1 is the time. */
const selectSession = (more = '') =>
  `SELECT ${SESSION_COLUMNS}, l.held, l.hold_on_failure, l.host, ${nameOfHost('l.host')} AS host_name, l.next_seq - 1 AS last_seq,
  ${UNFINISHED} AS unfinished_runs, ${CONNECTIONS} AS active_connections, ${HOST_AWAY} AS host_away, ${QUESTIONS} AS open_questions,
  CASE WHEN l.state = 'delayed' THEN l.ready_at END AS delayed_until${more}
  FROM sessions s JOIN lanes l ON l.id = s.id`;
export const SELECT_SESSION = selectSession();
/** For a query that joins a share `h`. */
export const SELECT_SHARED_SESSION = selectSession(', h.level AS share');

const SELECT_SHARED = selectSession(
  ', (SELECT h.level FROM shares h WHERE h.session_id = s.id AND h.user_id = $3) AS share',
);

export function* readSession(now: number, id: string): Op<SessionWithFacts | null> {
  const [row] = yield* query<SessionFactsRow>(
    `${SELECT_SESSION} WHERE s.id = $2`,
    [now, id],
    'session',
  );
  return row === undefined ? null : toSessionWithFacts(row);
}

/**
 * Reads the session and the user's share of it in one statement, because every request for a shared
 * session needs both.
 */
export function* readSessionFor(now: number, id: string, userId: string): Op<SessionFor | null> {
  const [row] = yield* query<SessionFactsRow & { share: ShareLevel | null }>(
    `${SELECT_SHARED} WHERE s.id = $2`,
    [now, id, userId],
    'session_for',
  );
  return row === undefined ? null : { current: toSessionWithFacts(row), share: row.share };
}

export function* lockSession(dialect: Dialect, now: number, id: string): Op<LoadedSession> {
  const [loaded] = yield* loadLocked(dialect, now, yield* lock(dialect, now, [id]));
  if (loaded === undefined) throw noSession(id);
  return loaded;
}

/** Leaves out sessions that other transactions have locked; the next pass gets them. */
export function* lockFreeSessions(
  dialect: Dialect,
  now: number,
  ids: readonly string[],
): Op<LoadedSession[]> {
  const lanes = yield* dialect.lockFreeLanes([...ids].sort());
  return yield* loadLocked(
    dialect,
    now,
    lanes.map((lane) => new LaneChange(lane, now)),
  );
}

function* lock(dialect: Dialect, now: number, ids: readonly string[]): Op<LaneChange[]> {
  return (yield* dialect.lockLanes(ids)).map((lane) => new LaneChange(lane, now));
}

/**
 * Read by a separate statement after taking the lock, so that it sees the changes the lock waited
 * for.
 */
function* loadLocked(
  dialect: Dialect,
  now: number,
  lanes: readonly LaneChange[],
): Op<LoadedSession[]> {
  if (lanes.length === 0) return [];
  const rows = yield* query<SessionRow & { unfinished_runs: number; active_connections: number }>(
    `SELECT ${SESSION_COLUMNS}, ${UNFINISHED} AS unfinished_runs, ${CONNECTIONS} AS active_connections
     FROM sessions s JOIN lanes l ON l.id = s.id WHERE ${dialect.oneOf('s.id', 2)}`,
    [now, dialect.list(lanes.map(({ lane }) => lane.id))],
    'load_sessions',
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return lanes.flatMap((change) => {
    const row = byId.get(change.lane.id);
    if (row === undefined) return [];
    const facts = {
      now,
      unfinishedRuns: row.unfinished_runs,
      connections: row.active_connections,
    };
    return [{ change, session: toStoredSession(row), facts }];
  });
}

/** The session that a run belongs to. */
export function* sessionOfRun(runId: string): Op<string> {
  const row = yield* queryOne<{ lane: string }>('SELECT lane FROM runs WHERE id = $1', [runId]);
  if (row === null) throw new BatonError('not_found', `There is no run ${runId}.`);
  return row.lane;
}

export const noSession = (id: string): BatonError =>
  new BatonError('not_found', `There is no session ${id}.`);
