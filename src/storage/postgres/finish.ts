import type { EventPayloads, EventType } from '../../contract/events/table.ts';
import type { AttemptWrite } from '../../queue/store.ts';
import { NEXT_RUN } from '../operations/saving.ts';

const event = <T extends EventType>(n: number, type: T, payload: EventPayloads[T]): string =>
  `(${n}, '${type}', '${JSON.stringify(payload)}')`;

const EVENTS = [
  event(-1, 'run.start', {}),
  event(0, 'run.finished', { state: 'succeeded', error: null }),
  event(1, 'done', { state: 'succeeded' }),
];

/**
 * Ends attempts in the simplest case, in a single statement: the lane machine's `start` (unless
 * already written), followed by a successful `end` (queue/machine/lane-machine.ts). This version
 * exists for speed: loading both rows, changing them here and saving them took about 60 µs of
 * Node's CPU time per no-op run in total; this takes about 45 µs. The conformance suite and the
 * model hold this statement to the lane machine's behaviour.
 *
 * $1 lanes, $2 fences, $3 numbers of the writes, $4 whether they start, $5 results, $6 the time.
 *
 * All rows except the locked lane are read as of the start of the statement, before it waited for a
 * lock: `b` (the lane itself), `r` (the lane's run) and the lane's next run. Every change to the
 * state of a run or the queue of a lane adds an event to the lane. So a lane that still has the
 * same next seq once it is locked has not changed; any other lane is left to the lane machine. The
 * lanes are locked in the order of their ids, because the sorted input drives a nested loop
 * (connect.ts disables the other join methods). The statement does not check that the lane is running:
 * its run's state implies it, and the check made the planner start from all running lanes (with 400
 * lanes, this part took 64 ms instead of 9 ms).
 */
export const FINISH = `
WITH lane_rows AS (
  UPDATE lanes AS l SET state = CASE WHEN l.queued > 0 THEN 'ready' ELSE 'idle' END, head_type = ${NEXT_RUN('type')},
    run_id = NULL, node_id = NULL, fence = 0, cancel = NULL, answered_at = NULL, ready_at = $6,
    last_write = coalesce(i.no, l.last_write), next_seq = l.next_seq + i.start + 2
  FROM (SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS n(lane, fence, no, start, result)
    ORDER BY lane COLLATE "C") AS i
  JOIN lanes b ON b.id = i.lane
  JOIN runs r ON r.id = b.run_id AND r.state = CASE WHEN i.start = 1 THEN 'dequeued' ELSE 'running' END
  WHERE l.id = i.lane AND l.fence = i.fence AND l.next_seq = b.next_seq
    AND (i.no IS NULL OR i.no > l.last_write)
  RETURNING l.id AS lane, b.next_seq AS seq, r.id AS run_id, r.attempts, i.start, i.result
), run_rows AS (
  UPDATE runs AS r SET state = 'succeeded', started_at = CASE WHEN i.start = 1 THEN coalesce(r.started_at, $6) ELSE r.started_at END,
    finished_at = $6, next_run_at = NULL, error_class = NULL, error_message = NULL, result = i.result, committed = NULL,
    last_seq = i.seq + i.start + 1, updated_at = $6
  FROM lane_rows i WHERE r.id = i.run_id
), count_rows AS (
  INSERT INTO run_counts (state, n)
  SELECT CASE WHEN start = 1 THEN 'dequeued' ELSE 'running' END, -count(*) FROM lane_rows GROUP BY start
  UNION ALL SELECT 'succeeded', count(*) FROM lane_rows HAVING count(*) > 0
), event_rows AS (
  INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
  SELECT i.lane, i.seq + i.start + e.n, i.run_id, i.attempts, e.type, e.payload, $6
  FROM lane_rows i JOIN (VALUES ${EVENTS.join(', ')}) AS e(n, type, payload) ON i.start + e.n >= 0
)
SELECT lane FROM lane_rows`;

/** The writes in a batch that FINISH can handle: those with nothing but a start and a success. */
export const finishing = (writes: readonly AttemptWrite[]): AttemptWrite[] => {
  const times = new Map<string, number>();
  for (const { lane } of writes) times.set(lane, (times.get(lane) ?? 0) + 1);
  return writes.filter(
    ({ lane, fence, events, commit, ask, end }) =>
      end?.outcome.kind === 'succeeded' &&
      events === undefined &&
      commit === undefined &&
      ask !== true &&
      fence > 0 &&
      // Several writes to one lane depend on each other.
      times.get(lane) === 1,
  );
};

export const finishValues = (writes: readonly AttemptWrite[], now: number) => [
  writes.map(({ lane }) => lane),
  writes.map(({ fence }) => fence),
  writes.map(({ no }) => no ?? null),
  writes.map(({ start }) => Number(start === true)),
  writes.map(({ end }) =>
    end?.outcome.kind === 'succeeded' && end.outcome.result !== null
      ? JSON.stringify(end.outcome.result)
      : null,
  ),
  now,
];
