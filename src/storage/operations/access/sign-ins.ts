import {
  ACCESS,
  type NewCode,
  type NewSignIn,
  type SignInBy,
  type ValidSignIn,
} from '../../../access/access-store.ts';
import type { SignInRow } from '../../access-rows.ts';
import { toSignIn, USER_COLUMNS } from '../../access-rows.ts';
import { type Op, query } from '../../statement.ts';
import { type Dialect, type Done, hintOf, NO_HINT } from '../dialect.ts';
import { tokenAt } from './tokens.ts';
import { getUser, mustBeUser } from './users.ts';

export function* createCode(
  _: Dialect,
  now: number,
  code: NewCode,
): Op<Done<{ readonly expiresAt: number }>> {
  yield* mustBeUser(code.userId);
  yield* query('DELETE FROM sign_in_codes WHERE expires_at <= $1', [now]);
  if (code.only === true) {
    yield* query('DELETE FROM sign_in_codes WHERE user_id = $1', [code.userId]);
  }
  const expiresAt = now + code.expiresInMs;
  yield* query('INSERT INTO sign_in_codes (digest, user_id, expires_at) VALUES ($1, $2, $3)', [
    code.digest,
    code.userId,
    expiresAt,
  ]);
  return { value: { expiresAt }, hint: NO_HINT };
}

export function* hasCode(digest: string): Op<boolean> {
  return (yield* query('SELECT 1 FROM sign_in_codes WHERE digest = $1', [digest])).length > 0;
}

/** Whose credential was presented, and when a sign-in made with it must end. */
interface Presented {
  readonly userId: string;
  readonly tokenId: string | null;
  readonly until: number | null;
}

export function* signIn(
  _: Dialect,
  now: number,
  by: SignInBy,
  made: NewSignIn,
): Op<Done<ValidSignIn | null>> {
  const presented = yield* redeem(now, by);
  const user = presented === null ? null : yield* getUser(presented.userId);
  if (presented === null || user === null || user.disabledAt !== null)
    return { value: null, hint: NO_HINT, changed: false };
  yield* query('DELETE FROM sign_ins WHERE expires_at <= $1', [now]);
  const end = Math.min(now + made.lifeMs, presented.until ?? Number.POSITIVE_INFINITY);
  yield* query(
    `INSERT INTO sign_ins
       (id, user_id, token_id, digest, created_at, rotated_at, idle_until, expires_at, page_key_digest)
     VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)`,
    [
      made.id,
      user.id,
      presented.tokenId,
      made.digest,
      now,
      now + made.idleMs,
      end,
      made.pageKeyDigest,
    ],
  );
  return {
    value: toSignIn((yield* readSignIn(now, made.digest))!, made.digest),
    hint: NO_HINT,
    who: user.id,
  };
}

function* redeem(now: number, by: SignInBy): Op<Presented | null> {
  if ('user' in by) return { userId: by.user, tokenId: null, until: null };
  if ('token' in by) {
    const valid = yield* tokenAt(now, 'digest', by.token);
    if (valid === null || typeof valid === 'string') return null;
    const { id, userId, expiresAt } = valid.token;
    return { userId, tokenId: id, until: expiresAt };
  }
  // Read and deleted in one statement, so only one of two requests with the same code gets it.
  const [code] = yield* query<{ user_id: string; expires_at: number }>(
    'DELETE FROM sign_in_codes WHERE digest = $1 RETURNING user_id, expires_at',
    [by.code],
  );
  if (code === undefined || code.expires_at <= now) return null;
  return { userId: code.user_id, tokenId: null, until: null };
}

/** Sign-ins that are valid at the time in $2 and whose users and tokens are still valid. */
export const VALID_SIGN_IN = `SELECT s.id, s.digest, s.rotated_at, s.idle_until, s.expires_at,
    s.page_key_digest, t.scopes, t.channel AS token_channel, t.made_through,
    t.expires_at AS token_expires_at, ${USER_COLUMNS}
  FROM sign_ins s JOIN users u ON u.id = s.user_id LEFT JOIN tokens t ON t.id = s.token_id
  WHERE s.expires_at > $2 AND s.idle_until > $2 AND u.disabled_at IS NULL
    AND (s.token_id IS NULL OR (t.revoked_at IS NULL AND coalesce(t.expires_at, $2 + 1) > $2))`;
const BY_DIGEST = `${VALID_SIGN_IN}
  AND (s.digest = $1 OR (s.previous_digest = $1 AND s.previous_until > $2))`;

function* readSignIn(now: number, digest: string): Op<SignInRow | null> {
  return (yield* query<SignInRow>(BY_DIGEST, [digest, now], 'sign_in_by_digest'))[0] ?? null;
}

export interface SignInLookup {
  readonly signIn: ValidSignIn;
  /** The sign-in's idle time needs to be extended. */
  readonly stale: boolean;
}

/** Extending the idle time up to a minute late is enough, and saves a write per request. */
const TOUCH_AFTER_MS = 60_000;

export function* lookUpSignIn(
  dialect: Dialect,
  digest: string,
  idleMs: number,
): Op<SignInLookup | null> {
  const now = yield* dialect.readTime();
  const row = yield* readSignIn(now, digest);
  if (row === null) return null;
  const late = now + idleMs - row.idle_until;
  return { signIn: toSignIn(row, digest), stale: late >= TOUCH_AFTER_MS };
}

export function* touchSignIn(_: Dialect, now: number, id: string, idleMs: number): Op<Done<void>> {
  yield* query('UPDATE sign_ins SET idle_until = $3 WHERE id = $1 AND idle_until > $2', [
    id,
    now,
    now + idleMs,
  ]);
  return { value: undefined, hint: NO_HINT };
}

export function* rotateSignIn(
  _: Dialect,
  now: number,
  id: string,
  secret: { readonly from: string; readonly to: string; readonly graceMs: number },
): Op<Done<boolean>> {
  const rows = yield* query(
    `UPDATE sign_ins SET previous_digest = digest, previous_until = $5, digest = $3, rotated_at = $4
     WHERE id = $1 AND digest = $2 AND expires_at > $4 AND idle_until > $4 AND coalesce(previous_until, 0) <= $4
     RETURNING id`,
    [id, secret.from, secret.to, now, now + secret.graceMs],
  );
  return {
    value: rows.length > 0,
    hint: NO_HINT,
    ...(rows.length > 0 ? {} : { changed: false }),
  };
}

export function* endSignIn(_: Dialect, _now: number, id: string): Op<Done<void>> {
  return yield* remove('id', id);
}

export function* endSignIns(_: Dialect, _now: number, userId: string): Op<Done<void>> {
  return yield* remove('user_id', userId);
}

function* remove(column: string, value: string): Op<Done<void>> {
  yield* query(`DELETE FROM sign_ins WHERE ${column} = $1`, [value]);
  return { value: undefined, hint: hintOf(ACCESS) };
}
