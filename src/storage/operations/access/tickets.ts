import type { NewTicket } from '../../../access/access-store.ts';
import { BatonError } from '../../../contract/errors.ts';
import { type Op, query } from '../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../dialect.ts';

export function* createTicket(
  _: Dialect,
  now: number,
  { digest, signInId, path, expiresInMs }: NewTicket,
): Op<Done<{ readonly expiresAt: number }>> {
  yield* query('DELETE FROM tickets WHERE expires_at <= $1', [now], 'expired_tickets');
  const expiresAt = now + expiresInMs;
  const made = yield* query(
    `INSERT INTO tickets (digest, sign_in_id, path, expires_at)
     SELECT CAST($1 AS text), id, CAST($3 AS text), CAST($4 AS bigint) FROM sign_ins WHERE id = $2
     RETURNING digest`,
    [digest, signInId, path, expiresAt],
    'create_ticket',
  );
  if (made.length === 0) throw new BatonError('unauthorized');
  return { value: { expiresAt }, hint: NO_HINT };
}

export function* takeTicket(
  _: Dialect,
  now: number,
  digest: string,
): Op<Done<{ readonly signInId: string; readonly path: string } | null>> {
  // Read and deleted in one statement, so only one of two requests with the same ticket gets it.
  const [row] = yield* query<{ sign_in_id: string; path: string; expires_at: number }>(
    'DELETE FROM tickets WHERE digest = $1 RETURNING sign_in_id, path, expires_at',
    [digest],
    'take_ticket',
  );
  const isValid = row !== undefined && row.expires_at > now;
  return {
    value: isValid ? { signInId: row.sign_in_id, path: row.path } : null,
    hint: NO_HINT,
  };
}
