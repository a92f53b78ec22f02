import { READY_GRACE_MS } from '../../../sessions/session-machine.ts';
import type { Reconciled, StatusChange } from '../../../sessions/session-store.ts';
import type { StoredSession } from '../../session-rows.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import { type Dialect, type Done, done } from '../dialect.ts';
import { applyTrigger } from './apply-trigger.ts';
import { type LoadedSession, lockFreeSessions } from './load.ts';

/* Each list comes from an index that contains only ACTIVE, due or connected sessions. */

/** ACTIVE sessions without a run or a live connection. */
const QUIET = `SELECT s.id FROM sessions s JOIN lanes l ON l.id = s.id
  WHERE s.status = 'ACTIVE' AND s.ready_at <= $2 AND l.run_id IS NULL AND l.queued = 0
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.lane = l.id AND r.position IS NULL AND r.state = 'queued')
  AND NOT EXISTS (SELECT 1 FROM connections c JOIN nodes n ON n.id = c.node_id WHERE c.session_id = s.id AND n.lease_until > $1)
  ORDER BY s.id LIMIT $3`;

const EXPIRED = `SELECT id FROM sessions WHERE destroy_at IS NOT NULL AND destroy_at <= $1 ORDER BY destroy_at, id LIMIT $2`;

/**
 * Sessions whose number of live connections differs from the latest event. This is not a join,
 * because SQLite would then read all sessions to sort them.
 */
const CONNECTED = `SELECT k.id FROM (SELECT id FROM sessions WHERE last_connections > 0 UNION SELECT session_id FROM connections) k
  WHERE (SELECT s.last_connections FROM sessions s WHERE s.id = k.id)
    <> (SELECT count(*) FROM connections c JOIN nodes n ON n.id = c.node_id WHERE c.session_id = k.id AND n.lease_until > $1)
  ORDER BY k.id LIMIT $2`;

/**
 * Brings sessions up to date with elapsed time and dead nodes. Sessions are checked again under
 * their locks, so if two nodes reconcile at once, each session is changed by only one of them.
 */
export function* reconcileSessions(
  dialect: Dialect,
  now: number,
  limit: number,
): Op<Done<Reconciled>> {
  yield* dropDead(now);
  const connected = yield* ids(CONNECTED, [now, limit]);
  const quiet = yield* ids(QUIET, [now, now - READY_GRACE_MS, limit]);
  const expired = yield* ids(EXPIRED, [now, limit]);
  const candidates = [...new Set([...expired, ...quiet, ...connected])];
  const loaded = yield* lockFreeSessions(dialect, now, candidates.slice(0, limit));
  const changes: StatusChange[] = [];
  const sessions: StoredSession[] = [];
  for (const one of loaded) {
    const session = reconcile(one, changes);
    if (session !== one.session) sessions.push(session);
  }
  const lanes = loaded.map(({ change }) => change).filter(({ events }) => events.length > 0);
  if (sessions.length > 0) yield* dialect.saveSessions(sessions);
  if (lanes.length > 0) yield* dialect.save(lanes);
  const next = yield* queryOne<{ at: number | null }>(
    'SELECT min(destroy_at) AS at FROM sessions WHERE destroy_at IS NOT NULL',
  );
  // If nothing changed, another call would get the same sessions.
  const full = [connected, quiet, expired].some(({ length }) => length >= limit);
  const more = sessions.length > 0 && (full || candidates.length > limit);
  return done({ changes, more, nextAt: next?.at ?? null }, lanes);
}

function reconcile(loaded: LoadedSession, changes: StatusChange[]): StoredSession {
  const { change, facts } = loaded;
  let session = loaded.session;
  if (session.lastConnections !== facts.connections) {
    change.log('session.connections', { activeConnections: facts.connections }, null);
    session = { ...session, lastConnections: facts.connections };
  }
  for (const trigger of ['quiet', 'expire'] as const) {
    const moved = applyTrigger({ ...loaded, session }, trigger);
    session = moved.session;
    changes.push(...moved.changes);
  }
  return session;
}

function* ids(text: string, values: readonly number[]): Op<string[]> {
  return (yield* query<{ id: string }>(text, values)).map(({ id }) => id);
}

/** Removes connections of dead nodes, with one index descent per node, not per connection. */
function* dropDead(now: number): Op<void> {
  for (let after = ''; ; ) {
    const row = yield* queryOne<{ node_id: string }>(
      'SELECT node_id FROM connections WHERE node_id > $1 ORDER BY node_id LIMIT 1',
      [after],
    );
    if (row === null) return;
    after = row.node_id;
    const live = yield* queryOne('SELECT id FROM nodes WHERE id = $1 AND lease_until > $2', [
      after,
      now,
    ]);
    if (live === null) yield* query('DELETE FROM connections WHERE node_id = $1', [after]);
  }
}
