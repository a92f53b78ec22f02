import { ACCESS, type ShareRecord } from '../../../access/access-store.ts';
import type { ShareLevel } from '../../../contract/access.ts';
import { BatonError } from '../../../contract/errors.ts';
import { type Op, query } from '../../statement.ts';
import { type Dialect, type Done, hintOf, NO_HINT } from '../dialect.ts';
import { lockSession } from './load.ts';

/** Sorted by the users' names. */
export function* listShares(sessionId: string): Op<ShareRecord[]> {
  const rows = yield* query<{ user_id: string; name: string; level: ShareLevel }>(
    `SELECT h.user_id, u.name, h.level FROM shares h JOIN users u ON u.id = h.user_id
     WHERE h.session_id = $1 ORDER BY u.folded`,
    [sessionId],
  );
  return rows.map(({ user_id, name, level }) => ({ userId: user_id, userName: name, level }));
}

/**
 * Runs under the session's lock: if two changes are made at once, one replaces the other as a
 * whole.
 */
export function* putShares(
  dialect: Dialect,
  now: number,
  sessionId: string,
  shares: readonly { readonly userId: string; readonly level: ShareLevel }[],
): Op<Done<ShareRecord[]>> {
  const { session } = yield* lockSession(dialect, now, sessionId);
  const wanted = new Map(shares.map(({ userId, level }) => [userId, level]));
  yield* mustBeUsers(dialect, [...wanted.keys()]);
  wanted.delete(session.ownerId);
  const shared = yield* listShares(sessionId);
  const isSame =
    shared.length === wanted.size &&
    shared.every(({ userId, level }) => wanted.get(userId) === level);
  // A hint would make every open page load again.
  if (isSame) return { value: shared, hint: NO_HINT, changed: false };
  yield* query('DELETE FROM shares WHERE session_id = $1', [sessionId]);
  for (const [userId, level] of wanted) {
    yield* query('INSERT INTO shares (session_id, user_id, level) VALUES ($1, $2, $3)', [
      sessionId,
      userId,
      level,
    ]);
  }
  return { value: yield* listShares(sessionId), hint: hintOf(ACCESS) };
}

function* mustBeUsers(dialect: Dialect, ids: readonly string[]): Op<void> {
  const rows = yield* query<{ id: string }>(
    `SELECT id FROM users WHERE ${dialect.oneOf('id', 1)}`,
    [dialect.list(ids)],
  );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new BatonError('unknown_user', undefined, { details: { user: unknown } });
}
