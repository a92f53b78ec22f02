import type { RunState } from '../../contract/run.ts';
import { keyConflict, mustHaveSameBody } from '../../queue/machine/known-key.ts';
import type { LaneChange } from '../../queue/machine/lane-change.ts';
import { positionInLane } from '../../queue/machine/position.ts';
import type { Admission, Receipt } from '../../queue/store.ts';
import { type Op, query, queryOne } from '../statement.ts';

interface KnownRun {
  readonly kind: 'run';
  readonly id: string;
  readonly lane: string;
  readonly state: RunState;
  readonly body_hash: string | null;
}

/**
 * A message for the agent that is working on `run_id`. If the message's state is `queued`, it has
 * become the run `id`.
 */
interface KnownSteer {
  readonly kind: 'steer';
  readonly id: string;
  readonly run_id: string;
  readonly state: 'waiting' | 'given' | 'queued';
  readonly body_hash: string | null;
}

export type Known = KnownSteer | KnownRun;

/** A steer keeps its key when it becomes a run, so steers take precedence. */
const BY_KEY = `
  SELECT 1 AS rank, 'steer' AS kind, id, session_id AS lane, run_id, state, body_hash
  FROM steers WHERE session_id = $1 AND idem_key = $2
  UNION ALL SELECT 2, 'run', id, lane, id, state, body_hash FROM runs WHERE idem_scope = $1 AND idem_key = $2
  ORDER BY rank LIMIT 1`;

/**
 * The run or message that used an idempotency key in a scope: a lane, or '' for runs without one
 * (Q10). The caller holds the lane's lock. On PostgreSQL, messages look for their key in
 * `admit_message` instead (migrations/0016-admit-message.ts).
 */
export function* findByKey(scope: string, key: string | null): Op<Known | null> {
  if (key === null) return null;
  const [known] = yield* query<Known>(BY_KEY, [scope, key], 'known_key');
  return known ?? null;
}

/** The scope of an admission's key. */
export const scopeOf = (admission: Admission): string => admission.lane ?? '';

/**
 * The receipt of the run that already has the admission's key, if any. With another body or kind of
 * message, the key is refused. The effects of earlier admissions in this call are not saved yet, so
 * they are read from the lane's change.
 */
export function* knownReceipt(
  admission: Admission,
  changeOf: (lane: string) => LaneChange | undefined,
): Op<Receipt | null> {
  const known = yield* findByKey(scopeOf(admission), admission.idempotencyKey);
  if (known === null) return null;
  if (known.kind === 'steer') throw keyConflict(known.run_id);
  const { id, lane } = known;
  mustHaveSameBody(id, known.body_hash, admission.bodyHash);
  const change = changeOf(lane);
  const state = change?.runs.get(id)?.run.state ?? known.state;
  const position = state === 'queued' ? yield* positionOf(id, change) : 0;
  return { id, lane, state, position, known: true };
}

/** The position of a queued run. */
function* positionOf(id: string, change: LaneChange | undefined): Op<number> {
  const row = yield* queryOne<{ begun: string | null; queued: number }>(
    `SELECT l.run_id AS begun, (SELECT count(*) FROM runs q WHERE q.lane = r.lane AND q.position > l.last_position AND q.state = 'queued'
        AND (r.position IS NULL OR q.position < r.position)) AS queued
     FROM runs r JOIN lanes l ON l.id = r.lane WHERE r.id = $1`,
    [id],
  );
  return positionInLane(change === undefined ? row!.begun : change.lane.runId, row!.queued, id);
}
