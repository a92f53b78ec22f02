import type { LaneChange } from '../../queue/machine/lane-change.ts';
import type { CountDeltas } from '../operations/dialect.ts';
import { RUN_INSERT_INTO, savedCounts, savedLane, savedRun } from '../operations/saving.ts';

/*
 * One statement stores a whole batch: lanes, runs, counts and events, each as unnested columns.
 * Splitting it would cost a round trip for each part; one statement per row was ten times slower at
 * 64 rows.
 */

type Scalar = string | number | null;

const words = (text: string): string[] => text.split(' ');

const LANE_TYPES = words(
  'text text text bigint text text bigint bigint bigint text text bigint bigint bigint bigint bigint',
);
const RUN_TYPES = words(
  'text text bigint bigint bigint bigint bigint bigint bigint text text text text bigint bigint',
);
const EVENT_TYPES = words('text bigint text bigint text text bigint');
const COUNT_TYPES = words('text bigint');
const NEW_RUN_TYPES = words(
  'text text text text text text bigint bigint bigint bigint text text text text bigint bigint bigint bigint bigint',
);

const unnest = (types: readonly string[], from: number): string =>
  `unnest(${types.map((type, i) => `$${from + i}::${type}[]`).join(', ')})`;

const LANES_FROM = 1;
const RUNS_FROM = LANES_FROM + LANE_TYPES.length;
const EVENTS_FROM = RUNS_FROM + RUN_TYPES.length;
const COUNTS_FROM = EVENTS_FROM + EVENT_TYPES.length;

export const SAVE = `
WITH lane_rows AS (
  UPDATE lanes AS l SET host = i.host, state = i.state, held = i.held, run_id = i.run_id,
    head_type = CASE WHEN i.run_id IS NULL THEN
      (SELECT q.type FROM runs q WHERE q.lane = i.id AND q.position > i.last_position AND q.state = 'queued' ORDER BY q.position LIMIT 1)
      ELSE i.head_type END,
    queued = i.queued, ready_at = i.ready_at, fence = i.fence, node_id = i.node_id, cancel = i.cancel,
    answered_at = i.answered_at, last_position = i.last_position, next_position = i.next_position, next_seq = i.next_seq, last_write = i.last_write
  FROM ${unnest(LANE_TYPES, LANES_FROM)} AS i(id, host, state, held, run_id, head_type, queued, ready_at, fence, node_id,
    cancel, answered_at, last_position, next_position, next_seq, last_write)
  WHERE l.id = i.id
), run_rows AS (
  UPDATE runs AS r SET state = i.state, attempts = i.attempts, crashes = i.crashes, position = i.position,
    next_run_at = i.next_run_at, started_at = i.started_at, finished_at = i.finished_at,
    cancel_requested_at = i.cancel_requested_at,
    error_class = i.error_class, error_message = i.error_message, result = i.result, committed = i.committed,
    last_seq = i.last_seq, updated_at = i.updated_at
  FROM ${unnest(RUN_TYPES, RUNS_FROM)} AS i(id, state, attempts, crashes, position, next_run_at, started_at, finished_at,
    cancel_requested_at, error_class, error_message, result, committed, last_seq, updated_at)
  WHERE r.id = i.id
), count_rows AS (
  INSERT INTO run_counts (state, n) SELECT * FROM ${unnest(COUNT_TYPES, COUNTS_FROM)}
)
INSERT INTO events (lane, seq, run_id, attempt, type, payload, at) SELECT * FROM ${unnest(EVENT_TYPES, EVENTS_FROM)}`;

export const INSERT_RUNS = `${RUN_INSERT_INTO} SELECT * FROM ${unnest(NEW_RUN_TYPES, 1)}`;

/** Turns rows into columns; there are `width` columns even if there are no rows. */
export function transpose(rows: readonly (readonly Scalar[])[], width: number): Scalar[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column]!));
}

export function saveValues(
  changes: readonly LaneChange[],
  part: { readonly lanes: boolean; readonly runs: boolean },
): Scalar[][] {
  const runs: Scalar[][] = [];
  const events: Scalar[][] = [];
  const deltas: CountDeltas = {};
  for (const change of changes) {
    if (part.runs) {
      for (const { run, from } of change.runs.values()) {
        if (from !== null) runs.push(savedRun(run, change.now));
        savedCounts(deltas, run, from);
      }
    }
    if (part.lanes) {
      for (const event of change.events) {
        events.push([
          event.lane,
          event.seq,
          event.runId,
          event.attempt,
          event.type,
          JSON.stringify(event.payload),
          event.at,
        ]);
      }
    }
  }
  const lanes = part.lanes ? changes.map(({ lane }) => savedLane(lane)) : [];
  const counts = Object.entries(deltas).filter(([, n]) => n !== 0);
  return [
    ...transpose(lanes, LANE_TYPES.length),
    ...transpose(runs, RUN_TYPES.length),
    ...transpose(events, EVENT_TYPES.length),
    ...transpose(counts, COUNT_TYPES.length),
  ];
}
