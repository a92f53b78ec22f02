import {
  ACCESS,
  type NewToken,
  type TokenRecord,
  type TokenState,
  type ValidToken,
} from '../../../access/access-store.ts';
import { BatonError } from '../../../contract/errors.ts';
import {
  TOKEN_COLUMNS,
  type TokenRow,
  toToken,
  toUser,
  USER_COLUMNS,
  type UserRow,
} from '../../access-rows.ts';
import { type Op, query, queryOne, type Value } from '../../statement.ts';
import { type Dialect, type Done, hintOf, NO_HINT } from '../dialect.ts';
import { mustBeUser } from './users.ts';

export function* createToken(_: Dialect, now: number, made: NewToken): Op<Done<TokenRecord>> {
  yield* mustBeUser(made.userId);
  const ends = [made.notAfter, made.expiresInMs === null ? null : now + made.expiresInMs];
  const end = Math.min(...ends.map((time) => time ?? Number.POSITIVE_INFINITY));
  yield* query(
    `INSERT INTO tokens (id, user_id, name, digest, scopes, channel, made_through, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      made.id,
      made.userId,
      made.name,
      made.digest,
      JSON.stringify(made.scopes),
      made.channel,
      JSON.stringify(made.through ?? []),
      now,
      Number.isFinite(end) ? end : null,
    ],
  );
  return { value: (yield* getToken(made.id))!, hint: NO_HINT };
}

export function* getToken(id: string): Op<TokenRecord | null> {
  const row = yield* queryOne<TokenRow>(`SELECT ${TOKEN_COLUMNS} FROM tokens t WHERE t.id = $1`, [
    id,
  ]);
  return row === null ? null : toToken(row);
}

export function* listTokens(page: {
  readonly userId?: string;
  readonly limit: number;
  readonly before?: string;
}): Op<TokenRecord[]> {
  const values: Value[] = [page.limit];
  const where: string[] = [];
  if (page.userId !== undefined) where.push(`t.user_id = $${values.push(page.userId)}`);
  if (page.before !== undefined) where.push(`t.id < $${values.push(page.before)}`);
  const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
  const rows = yield* query<TokenRow>(
    `SELECT ${TOKEN_COLUMNS} FROM tokens t ${condition} ORDER BY t.id DESC LIMIT $1`,
    values,
  );
  return rows.map(toToken);
}

export function* revokeToken(_: Dialect, now: number, id: string): Op<Done<TokenRecord>> {
  const revoked = yield* query(
    'UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
    [id, now],
  );
  const token = yield* getToken(id);
  if (token === null) throw new BatonError('not_found', `There is no token ${id}.`);
  return {
    value: token,
    hint: hintOf(ACCESS),
    ...(revoked.length > 0 ? {} : { changed: false }),
  };
}

export function* findToken(dialect: Dialect, digest: string): Op<ValidToken | TokenState | null> {
  return yield* tokenAt(yield* dialect.readTime(), 'digest', digest);
}

export function* tokenAt(
  now: number,
  column: 'digest' | 'id',
  value: string,
): Op<ValidToken | TokenState | null> {
  const [row] = yield* query<TokenRow & UserRow>(
    `SELECT ${TOKEN_COLUMNS}, ${USER_COLUMNS} FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.${column} = $1`,
    [value],
    `token_by_${column}`,
  );
  if (row === undefined) return null;
  const token = toToken(row);
  const user = toUser(row);
  if (token.revokedAt !== null) return 'revoked';
  if (user.disabledAt !== null) return 'disabled';
  if (token.expiresAt !== null && token.expiresAt <= now) return 'expired';
  return { token, user };
}

export function* touchTokens(
  dialect: Dialect,
  now: number,
  ids: readonly string[],
): Op<Done<void>> {
  yield* query(
    `UPDATE tokens SET last_used_at = $2 WHERE ${dialect.oneOf('id', 1)} AND coalesce(last_used_at, 0) < $2`,
    [dialect.list(ids), now],
  );
  return { value: undefined, hint: NO_HINT };
}
