import { BatonError } from '../../../contract/errors.ts';
import type {
  ConnectionKey,
  NewConnection,
  StatusChange,
} from '../../../sessions/session-store.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import { type Dialect, type Done, done, NO_HINT } from '../dialect.ts';
import { applyTrigger, saveTriggered } from './apply-trigger.ts';
import { lockSession } from './load.ts';

/** Rows per statement, because the number of parameters is limited. */
const ROWS_MAX = 100;

/**
 * Adds connections. A connection that already exists is moved to the given node, for example after
 * its node has joined again.
 */
export function* openConnections(
  dialect: Dialect,
  now: number,
  { sessionId, nodeId }: ConnectionKey,
  connections: readonly NewConnection[],
): Op<Done<readonly StatusChange[]>> {
  const loaded = yield* lockSession(dialect, now, sessionId);
  const node = yield* queryOne('SELECT id FROM nodes WHERE id = $1 AND lease_until > $2', [
    nodeId,
    now,
  ]);
  if (node === null) throw new BatonError('node_lost', `The lease of node ${nodeId} has expired.`);
  const { session, changes } = applyTrigger(loaded, 'connected');
  for (let i = 0; i < connections.length; i += ROWS_MAX) {
    const rows = connections.slice(i, i + ROWS_MAX);
    const tuples = rows.map(
      (_, row) => `($${3 * row + 4}, $1, $2, $${3 * row + 5}, $${3 * row + 6}, $3)`,
    );
    yield* query(
      `INSERT INTO connections (id, session_id, node_id, user_id, kind, opened_at) VALUES ${tuples.join(', ')}
       ON CONFLICT (id) DO UPDATE SET node_id = excluded.node_id`,
      [sessionId, nodeId, now, ...rows.flatMap(({ id, userId, kind }) => [id, userId, kind])],
    );
  }
  // Reading is not activity, so `lastActiveAt` stays unchanged.
  if (changes.length > 0) yield* saveTriggered(dialect, loaded, session);
  return done(changes, [loaded.change]);
}

/**
 * The sessions become IDLE only at the next reconcile pass, because most readers reconnect at once.
 */
export function* closeConnections(
  dialect: Dialect,
  _now: number,
  ids: readonly string[],
): Op<Done<void>> {
  const list = dialect.list(ids);
  const rows = yield* query<{ session_id: string }>(
    `SELECT DISTINCT session_id FROM connections WHERE ${dialect.oneOf('id', 1)}`,
    [list],
  );
  const sessions = rows.map(({ session_id }) => session_id).sort();
  if (sessions.length === 0) return { value: undefined, hint: NO_HINT };
  yield* dialect.lockLanes(sessions);
  yield* query(`DELETE FROM connections WHERE ${dialect.oneOf('id', 1)}`, [list]);
  return { value: undefined, hint: NO_HINT };
}
