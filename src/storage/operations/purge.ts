import type { RunState } from '../../contract/run.ts';
import { type Op, query } from '../statement.ts';
import { type CountDeltas, type Dialect, type Done, NO_HINT } from './dialect.ts';

export interface Purged {
  readonly runs: number;
  readonly lanes: number;
}

interface Finished {
  readonly id: string;
  readonly lane: string;
  readonly first_seq: number;
  readonly last_seq: number;
}

/**
 * Removes runs that ended before the given time, along with their events, and lanes that have
 * become empty. Runs of kept lanes are removed only with their lane (Q21).
 */
export function* purge(
  dialect: Dialect,
  _now: number,
  request: { readonly before: number; readonly limit: number },
): Op<Done<Purged>> {
  const finished = yield* query<Finished>(
    `SELECT id, lane, first_seq, last_seq FROM runs
     WHERE finished_at IS NOT NULL AND kept = 0 AND finished_at < $1 ORDER BY finished_at LIMIT $2`,
    [request.before, request.limit],
  );
  if (finished.length === 0) return { value: { runs: 0, lanes: 0 }, hint: NO_HINT };
  const lanes = yield* dialect.lockLanes([...new Set(finished.map(({ lane }) => lane))].sort());
  // The lane is checked again under the lock, because it may just have been set to keep its runs.
  const kept = new Set(lanes.filter((lane) => lane.kept).map(({ id }) => id));
  const runs = finished.filter(({ lane }) => !kept.has(lane));
  for (const { id, lane, first_seq, last_seq } of runs) {
    // Bounded by the run's first and last events, so that a long log is not read in full.
    yield* query(
      'DELETE FROM events WHERE lane = $1 AND seq >= $2 AND seq <= $3 AND run_id = $4',
      [lane, first_seq, last_seq, id],
      'purge_events',
    );
  }
  const runIds = dialect.list(runs.map(({ id }) => id));
  const removed = yield* query<{ state: RunState }>(
    `DELETE FROM runs WHERE ${dialect.oneOf('id', 1)} RETURNING state`,
    [runIds],
  );
  const deltas: CountDeltas = {};
  for (const { state } of removed) deltas[state] = (deltas[state] ?? 0) - 1;
  yield* dialect.addCounts(deltas);
  const idle = dialect.list(
    lanes.filter((lane) => lane.state === 'idle' && !lane.kept && !lane.held).map(({ id }) => id),
  );
  const gone = yield* query<{ id: string }>(
    `DELETE FROM lanes WHERE ${dialect.oneOf('id', 1)} AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.lane = lanes.id) RETURNING id`,
    [idle],
  );
  yield* query(`DELETE FROM events WHERE ${dialect.oneOf('lane', 1)}`, [
    dialect.list(gone.map(({ id }) => id)),
  ]);
  return { value: { runs: removed.length, lanes: gone.length }, hint: NO_HINT };
}
