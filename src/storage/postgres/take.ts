import { RUN_COLUMNS } from '../rows.ts';

/**
 * `take` of the lane machine (queue/lane-machine.ts) as one statement over all lanes that a survey
 * has locked: $1 lanes, $2 their fences, $3 the node, $4 its host, $5 the time. It is the one
 * transition written twice, because a claim is what everybody waits for: loading the rows, changing
 * them here and saving them cost twice the time. The contract suite and the model hold it to the
 * machine's meaning.
 */
export const TAKE = `
WITH picked AS (
  SELECT l.id AS lane, f.fence, f.i, r.id AS run_id, r.state, r.attempts + 1 AS attempts,
    CASE WHEN l.run_id IS NULL THEN r.position END AS position
  FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS f(id, fence, i)
  JOIN lanes l ON l.id = f.id
  JOIN runs r ON r.id = coalesce(l.run_id,
    (SELECT q.id FROM runs q WHERE q.lane = l.id AND q.position > l.last_position AND q.state = 'queued' ORDER BY q.position LIMIT 1))
), lane_rows AS (
  UPDATE lanes AS l SET state = 'running', node_id = $3, fence = p.fence, last_write = 0, run_id = p.run_id,
    queued = l.queued - CASE WHEN l.run_id IS NULL THEN 1 ELSE 0 END,
    last_position = coalesce(p.position, l.last_position),
    host = CASE WHEN l.pin = 1 AND l.host = '' THEN $4 ELSE l.host END,
    next_seq = l.next_seq + 1
  FROM picked p WHERE l.id = p.lane
  RETURNING p.lane, l.next_seq - 1 AS seq, p.run_id, p.attempts
), run_rows AS (
  UPDATE runs AS r SET state = 'dequeued', attempts = p.attempts, next_run_at = NULL, updated_at = $5
  FROM picked p WHERE r.id = p.run_id
  RETURNING p.fence, p.i, ${RUN_COLUMNS}
), event_rows AS (
  INSERT INTO events (lane, seq, run_id, attempt, type, payload, at)
  SELECT lane, seq, run_id, attempts, 'run.dequeued', json_build_object('node', $3::text)::text, $5 FROM lane_rows
), count_rows AS (
  INSERT INTO run_counts (state, n)
  SELECT state, -count(*) FROM picked GROUP BY state UNION ALL SELECT 'dequeued', count(*) FROM picked
)
SELECT * FROM run_rows ORDER BY i`;
