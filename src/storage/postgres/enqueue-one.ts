import type { EventPayloads, EventType } from '../../contract/events/table.ts';
import { READY } from '../../queue/hint.ts';
import { POSITION_STEP, positionInLane } from '../../queue/machine/position.ts';
import type { Admission, Receipt } from '../../queue/store.ts';
import { type Done, hintOf, NO_HINT } from '../operations/dialect.ts';
import { RUN_INSERT_INTO } from '../operations/saving.ts';
import { type Op, query } from '../statement.ts';
import { NOW } from './run.ts';

/**
 * The lane machine's `admit` (queue/machine/lane-machine.ts) for one run that joins the end of its
 * lane, in one statement that needs no transaction. The statement creates or updates the lane's
 * row, whatever others have changed in it, and derives everything else from that row. This second
 * version exists because callers wait for the run to start, and the general path takes six round
 * trips. $1 run, $2 lane, $3 owner, $4 type, $5 payload, $6 attempts, $7 hash of the body, $8 the
 * event's payload, $9 the time (null for the database's).
 */
const ENQUEUE_ONE = `
WITH t AS MATERIALIZED (
  SELECT coalesce($9::bigint, ${NOW}) AS now
), lane_row AS (
  INSERT INTO lanes AS l (id, owner, host, pin, hold_on_failure, kept, state, held, run_id, head_type, queued, ready_at,
    fence, node_id, last_write, cancel, answered_at, next_position, last_position, next_seq)
  SELECT $2, $3, '', 0, 0, 0, 'ready', 0, NULL, $4, 1, t.now, 0, NULL, 0, NULL, NULL, ${2 * POSITION_STEP}, 0, 2 FROM t
  ON CONFLICT (id) DO UPDATE SET queued = l.queued + 1, next_position = l.next_position + ${POSITION_STEP}, next_seq = l.next_seq + 1,
    state = CASE WHEN l.state = 'idle' THEN 'ready' ELSE l.state END,
    head_type = CASE WHEN l.state = 'idle' THEN excluded.head_type ELSE l.head_type END,
    ready_at = CASE WHEN l.state = 'idle' THEN excluded.ready_at ELSE l.ready_at END
  RETURNING l.id, l.owner, l.kept, l.run_id, l.queued, l.next_position - ${POSITION_STEP} AS position, l.next_seq - 1 AS seq
), run_row AS (
  ${RUN_INSERT_INTO}
  SELECT $1, l.id, l.owner, $4, $5, 'queued', 0, $6::bigint, 0, l.position, NULL, NULL, NULL, $7, l.kept, t.now, t.now, NULL, l.seq
  FROM lane_row l, t
), event_row AS (
  INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
  SELECT l.id, l.seq, $1, NULL, '${'run.queued' satisfies EventType}', $8, t.now FROM lane_row l, t
), count_row AS (
  INSERT INTO run_counts (state, n) VALUES ('queued', 1)
)
SELECT l.queued, l.run_id FROM lane_row l`;

/** Null if this is not a single run that joins the end of its lane. */
export function* enqueueOne(
  now: number | null,
  admissions: readonly Admission[],
): Op<Done<Receipt[]> | null> {
  const [one] = admissions;
  if (one === undefined || admissions.length > 1 || !isPlain(one)) return null;
  const lane = one.lane ?? one.id;
  const [row] = yield* query<{ queued: number; run_id: string | null }>(
    ENQUEUE_ONE,
    [
      one.id,
      lane,
      one.owner,
      one.type,
      one.payload,
      one.maxAttempts,
      one.bodyHash,
      JSON.stringify({ type: one.type } satisfies EventPayloads['run.queued']),
      now,
    ],
    'enqueue_one',
  );
  const position = positionInLane(row!.run_id, row!.queued - 1);
  const receipt: Receipt = { id: one.id, lane, state: 'queued', position, known: false };
  return {
    value: [receipt],
    hint: { ...(position === 0 ? hintOf(READY) : NO_HINT), lanes: [lane] },
  };
}

const isPlain = (one: Admission): boolean =>
  one.onBusy === 'enqueue' &&
  one.idempotencyKey === null &&
  one.runAt === null &&
  one.delayMs === null &&
  one.tick === undefined;
