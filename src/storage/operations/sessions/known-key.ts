import { type Op, query } from '../../statement.ts';
import type { KnownRun } from '../enqueue.ts';

/**
 * A message for the agent at work on `run_id`; if its state is `queued`, it has become the run
 * `id`.
 */
interface KnownSteer {
  readonly kind: 'steer';
  readonly id: string;
  readonly run_id: string;
  readonly state: 'waiting' | 'given' | 'queued';
  readonly body_hash: string | null;
}

export type Known = KnownSteer | (KnownRun & { readonly kind: 'run' });

/** A steer keeps its key when it becomes a run, so steers take precedence. */
const BY_KEY = `
  SELECT 1 AS rank, 'steer' AS kind, id, session_id AS lane, run_id, state, body_hash
  FROM steers WHERE session_id = $1 AND idem_key = $2
  UNION ALL SELECT 2, 'run', id, lane, id, state, body_hash FROM runs WHERE idem_scope = $1 AND idem_key = $2
  ORDER BY rank LIMIT 1`;

/** The message that used an idempotency key in a session; the caller holds the lane's lock (Q10). */
export function* findByKey(sessionId: string, key: string | null): Op<Known | null> {
  if (key === null) return null;
  const [known] = yield* query<Known>(BY_KEY, [sessionId, key], 'known_key');
  return known ?? null;
}
