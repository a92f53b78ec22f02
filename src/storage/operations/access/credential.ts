import type { ValidCredential } from '../../../access/access-store.ts';
import { type SignInRow, toSignIn } from '../../access-rows.ts';
import { plain } from '../../session-rows.ts';
import { type Op, query } from '../../statement.ts';
import type { Dialect } from '../dialect.ts';
import { VALID_SIGN_IN } from './sign-ins.ts';
import { tokenAt } from './tokens.ts';

/** Finds the credential of an authenticated principal, by its name in the audit log. */
export function* findCredential(dialect: Dialect, credential: string): Op<ValidCredential | null> {
  const now = yield* dialect.readTime();
  const [, kind, id] = /^(token|cookie):(.+)$/.exec(plain(credential)) ?? [];
  if (id === undefined) return null;
  return kind === 'token' ? yield* ofToken(now, id) : yield* ofSignIn(now, id);
}

function* ofToken(now: number, id: string): Op<ValidCredential | null> {
  const valid = yield* tokenAt(now, 'id', id);
  if (valid === null || typeof valid === 'string') return null;
  const { token, user } = valid;
  const { scopes, channel, through, expiresAt: tokenExpiresAt } = token;
  return { user, scopes, channel, through, tokenExpiresAt };
}

function* ofSignIn(now: number, id: string): Op<ValidCredential | null> {
  const [row] = yield* query<SignInRow>(
    `${VALID_SIGN_IN} AND s.id = $1`,
    [id, now],
    'sign_in_by_id',
  );
  if (row === undefined) return null;
  const { user, scopes, through } = toSignIn(row, row.digest);
  return { user, scopes, channel: 'web', through, tokenExpiresAt: row.token_expires_at };
}
