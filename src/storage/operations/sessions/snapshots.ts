import type { Json } from '../../../contract/values/json.ts';
import type { SnapshotRecord } from '../../../sessions/session-store.ts';
import { type Op, query, queryOne } from '../../statement.ts';
import { type Dialect, type Done, NO_HINT } from '../dialect.ts';

const PUT = `INSERT INTO attempt_snapshots (run_id, session_id, attempt, kind, ref, at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (run_id) DO UPDATE SET attempt = excluded.attempt, kind = excluded.kind, ref = excluded.ref, at = excluded.at`;

/**
 * Deletes the snapshots of the session's other runs: those have ended, and a snapshot may take a
 * megabyte.
 */
export function* putSnapshot(
  _: Dialect,
  now: number,
  { runId, sessionId, attempt, kind, ref }: SnapshotRecord,
): Op<Done<void>> {
  yield* query('DELETE FROM attempt_snapshots WHERE session_id = $1 AND run_id <> $2', [
    sessionId,
    runId,
  ]);
  yield* query(PUT, [runId, sessionId, attempt, kind, JSON.stringify(ref), now]);
  return { value: undefined, hint: NO_HINT };
}

export function* readSnapshot(runId: string): Op<SnapshotRecord | null> {
  const row = yield* queryOne<{ session_id: string; attempt: number; kind: string; ref: string }>(
    'SELECT session_id, attempt, kind, ref FROM attempt_snapshots WHERE run_id = $1',
    [runId],
  );
  if (row === null) return null;
  const { session_id: sessionId, attempt, kind, ref } = row;
  return { runId, sessionId, attempt, kind, ref: JSON.parse(ref) as Json };
}
