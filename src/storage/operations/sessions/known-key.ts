import { type Op, query } from '../../statement.ts';
import type { KnownRun } from '../enqueue.ts';

/** A message that was handed to the agent at work on `run_id`; queued, it has become the run `id`. */
interface KnownSteer {
  readonly kind: 'steer';
  readonly id: string;
  readonly run_id: string;
  readonly state: 'waiting' | 'given' | 'queued';
  readonly body_hash: string | null;
}

export type Known = KnownSteer | (KnownRun & { readonly kind: 'run' });

/** A message to an agent at work keeps its key when it becomes a run; so it comes before the run. */
const BY_KEY = `
  SELECT 1 AS place, 'steer' AS kind, id, session_id AS lane, run_id, state, body_hash
  FROM steers WHERE session_id = $1 AND idem_key = $2
  UNION ALL SELECT 2, 'run', id, lane, id, state, body_hash FROM runs WHERE idem_scope = $1 AND idem_key = $2
  ORDER BY place LIMIT 1`;

/** What an idempotency key stands for in a session, whose lane is locked (Q10). */
export function* findByKey(sessionId: string, key: string | null): Op<Known | null> {
  if (key === null) return null;
  const [known] = yield* query<Known>(BY_KEY, [sessionId, key], 'known_key');
  return known ?? null;
}
