import type { AttemptWrite } from '../../queue/store.ts';
import { type Done, NO_HINT } from '../operations/dialect.ts';
import { type Op, query } from '../statement.ts';
import { NOW } from './run.ts';

/**
 * Appends the events of one attempt in one statement that needs no transaction, like the lane
 * machine's `append`. This second version exists because people watch these events live, and the
 * general path takes four round trips. The statement updates the lane's row whatever others have
 * changed in it; the lane's run and attempt cannot change while the fence stays the same. $1 lane,
 * $2 fence, $3 number of the write, $4 number of events, $5 types, $6 payloads, $7 the time (null
 * for the database's).
 */
const APPEND_ONE = `
WITH t AS MATERIALIZED (
  SELECT coalesce($7::bigint, ${NOW}) AS now
), lane_row AS (
  UPDATE lanes AS l SET next_seq = l.next_seq + $4::bigint, last_write = coalesce($3::bigint, l.last_write)
  WHERE l.id = $1 AND l.fence = $2::bigint AND ($3::bigint IS NULL OR $3::bigint > l.last_write)
  RETURNING l.id, l.run_id, l.next_seq - $4::bigint AS seq
), event_rows AS (
  INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
  SELECT l.id, l.seq + e.i - 1, l.run_id, r.attempts, e.type, e.payload, t.now
  FROM t, lane_row l JOIN runs r ON r.id = l.run_id, unnest($5::text[], $6::text[]) WITH ORDINALITY AS e(type, payload, i)
)
SELECT id FROM lane_row`;

/**
 * Null unless this is a single write that contains only events and has the lane's current fence.
 */
export function* appendOne(
  now: number | null,
  writes: readonly AttemptWrite[],
): Op<Done<boolean[]> | null> {
  const [one] = writes;
  if (one === undefined || writes.length > 1 || !isEvents(one)) return null;
  const { lane, fence, no = null, events } = one;
  const rows = yield* query<{ id: string }>(
    APPEND_ONE,
    [
      lane,
      fence,
      no,
      events.length,
      events.map(({ type }) => type),
      events.map(({ payload }) => JSON.stringify(payload)),
      now,
    ],
    'append_one',
  );
  if (rows.length === 0) return null;
  return { value: [true], hint: { ...NO_HINT, lanes: [lane] } };
}

const isEvents = (
  one: AttemptWrite,
): one is AttemptWrite & Required<Pick<AttemptWrite, 'events'>> =>
  one.events !== undefined &&
  one.events.length > 0 &&
  one.fence > 0 &&
  one.start !== true &&
  one.commit === undefined &&
  one.ask !== true &&
  one.end === undefined;
