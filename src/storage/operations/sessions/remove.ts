import { BatonError } from '../../../contract/errors.ts';
import { PROTECTED_LABELS } from '../../../contract/limits.ts';
import type { RunState } from '../../../contract/run.ts';
import { type Op, query } from '../../statement.ts';
import { type CountDeltas, type Dialect, type Done, done, NO_HINT } from '../dialect.ts';
import { cancelAll } from './cancel-all.ts';
import { lockSession } from './load.ts';

/**
 * Cancels the unfinished runs and removes the session with everything that belongs to it (S12).
 * Refused while a run is still executing: its cancel request is stored, and the caller tries again.
 */
export function* deleteSession(dialect: Dialect, now: number, id: string): Op<Done<void>> {
  const { change, session } = yield* lockSession(dialect, now, id);
  const label = session.labels.find((one) => PROTECTED_LABELS.includes(one));
  if (label !== undefined)
    throw new BatonError('session_protected', undefined, { details: { label } });
  yield* cancelAll(change);
  if (change.events.length > 0 || change.runs.size > 0) yield* dialect.save([change]);
  if (change.lane.runId !== null)
    return { ...done(undefined, [change]), changed: false, refused: 'session_busy' };
  yield* subtractCounts(dialect, id);
  // The workspace of a session that is not pinned is in the directory that all hosts share, so any
  // of them can remove it.
  if (!change.lane.pin || change.lane.host !== null) {
    yield* query('INSERT INTO left_workspaces (session_id, host) VALUES ($1, $2)', [
      id,
      change.lane.host ?? '',
    ]);
  }
  yield* query(
    `INSERT INTO left_workspaces (session_id, host) SELECT session_id, host FROM former_hosts
     WHERE session_id = $1 ON CONFLICT DO NOTHING`,
    [id],
  );
  // Tags, labels and connections are deleted with the session, originals and invocations with the
  // runs.
  yield* query('DELETE FROM sessions WHERE id = $1', [id]);
  yield* query('DELETE FROM runs WHERE lane = $1', [id]);
  yield* query('DELETE FROM events WHERE lane = $1', [id]);
  yield* query('DELETE FROM lanes WHERE id = $1', [id]);
  return done(undefined, [change]);
}

function* subtractCounts(dialect: Dialect, lane: string): Op<void> {
  const rows = yield* query<{ state: RunState; n: number }>(
    'SELECT state, count(*) AS n FROM runs WHERE lane = $1 GROUP BY state',
    [lane],
  );
  const deltas: CountDeltas = {};
  for (const { state, n } of rows) deltas[state] = -n;
  yield* dialect.addCounts(deltas);
}

/** Workspaces of deleted sessions on this host, or in the directory that all hosts share. */
export function* listLeftWorkspaces(host: string, limit: number): Op<string[]> {
  const rows = yield* query<{ session_id: string }>(
    `SELECT DISTINCT session_id FROM left_workspaces WHERE host IN ($1, '') ORDER BY session_id LIMIT $2`,
    [host, limit],
    'left_workspaces',
  );
  return rows.map(({ session_id }) => session_id);
}

/**
 * Call this once the host has removed the files. The host may share its directory with all others.
 */
export function* forgetLeftWorkspace(
  _: Dialect,
  _now: number,
  sessionId: string,
  host: string,
): Op<Done<void>> {
  yield* query(`DELETE FROM left_workspaces WHERE session_id = $1 AND host IN ($2, '')`, [
    sessionId,
    host,
  ]);
  return { value: undefined, hint: NO_HINT };
}
