import {
  ACCESS,
  type NewUser,
  type UserChange,
  type UserRecord,
} from '../../../access/access-store.ts';
import { ADMIN_ID } from '../../../contract/access.ts';
import { BatonError } from '../../../contract/errors.ts';
import { toUser, USER_COLUMNS, USER_RETURNED, type UserRow } from '../../access-rows.ts';
import { plain } from '../../session-rows.ts';
import { type Op, query } from '../../statement.ts';
import { type Dialect, type Done, hintOf, NO_HINT } from '../dialect.ts';

const fold = (name: string): string => plain(name).toLowerCase();

export function* createUser(
  _: Dialect,
  now: number,
  { id, name, role }: NewUser,
): Op<Done<UserRecord>> {
  yield* mustBeFree(name, id);
  const [row] = yield* query<UserRow>(
    `INSERT INTO users (id, name, folded, role, created_at, disabled_at) VALUES ($1, $2, $3, $4, $5, NULL)
     RETURNING ${USER_RETURNED}`,
    [id, name, fold(name), role, now],
  );
  return { value: toUser(row!), hint: NO_HINT };
}

/**
 * If two transactions run at once, the unique key makes one of them fail; it is then retried, and
 * is refused here.
 */
function* mustBeFree(name: string, id: string): Op<void> {
  const rows = yield* query('SELECT id FROM users WHERE folded = $1 AND id <> $2', [
    fold(name),
    id,
  ]);
  if (rows.length > 0) throw new BatonError('user_exists', undefined, { details: { name } });
}

export function* getUser(id: string): Op<UserRecord | null> {
  const [row] = yield* query<UserRow>(
    `SELECT ${USER_COLUMNS} FROM users u WHERE u.id = $1`,
    [plain(id)],
    'user',
  );
  return row === undefined ? null : toUser(row);
}

/** A user's name may be the same as another user's id; in that case, the id takes precedence. */
export function* findUser(nameOrId: string): Op<UserRecord | null> {
  const [row] = yield* query<UserRow>(
    `SELECT ${USER_COLUMNS} FROM users u WHERE u.id = $1 OR u.folded = $2
     ORDER BY CASE WHEN u.id = $1 THEN 0 ELSE 1 END LIMIT 1`,
    [plain(nameOrId), fold(nameOrId)],
  );
  return row === undefined ? null : toUser(row);
}

export function* listUsers(page: { limit: number; after?: string }): Op<UserRecord[]> {
  const rows = yield* query<UserRow>(
    `SELECT ${USER_COLUMNS} FROM users u WHERE u.folded > $1 ORDER BY u.folded LIMIT $2`,
    [fold(page.after ?? ''), page.limit],
  );
  return rows.map(toUser);
}

export function* updateUser(
  _: Dialect,
  now: number,
  id: string,
  { name, role, disabled }: UserChange,
): Op<Done<UserRecord>> {
  const user = yield* getUser(id);
  if (user === null) throw new BatonError('not_found', `There is no user ${id}.`);
  const locksOut = disabled === true || (name ?? user.name) !== user.name;
  if (id === ADMIN_ID && (locksOut || (role ?? 'admin') !== 'admin'))
    throw new BatonError('last_admin');
  if (name !== undefined) yield* mustBeFree(name, id);
  const [row] = yield* query<UserRow>(
    `UPDATE users SET name = coalesce($2, name), folded = coalesce($3, folded), role = coalesce($4, role),
       disabled_at = CASE CAST($5 AS bigint) WHEN 1 THEN coalesce(disabled_at, $6) WHEN 0 THEN NULL ELSE disabled_at END
     WHERE id = $1 RETURNING ${USER_RETURNED}`,
    [
      id,
      name ?? null,
      name === undefined ? null : fold(name),
      role ?? null,
      disabled === undefined ? null : Number(disabled),
      now,
    ],
  );
  // Also done when the user is enabled again: a sign-in that was in progress when the user was
  // disabled may have been written just afterwards.
  if (disabled === true || (disabled === false && user.disabledAt !== null)) {
    yield* forgetSignIns(id);
  }
  return { value: toUser(row!), hint: hintOf(ACCESS) };
}

/**
 * Sign-ins of a disabled user are deleted, so they do not become valid again when the user is
 * enabled.
 */
function* forgetSignIns(userId: string): Op<void> {
  yield* query('DELETE FROM sign_ins WHERE user_id = $1', [userId]);
  yield* query('DELETE FROM sign_in_codes WHERE user_id = $1', [userId]);
}

export function* mustBeUser(id: string): Op<UserRecord> {
  const user = yield* getUser(id);
  if (user === null) throw new BatonError('unknown_user', undefined, { details: { user: id } });
  return user;
}
