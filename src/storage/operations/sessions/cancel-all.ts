import type { LaneChange } from '../../../queue/machine/lane-change.ts';
import { cancel } from '../../../queue/machine/lane-machine.ts';
import { CORE_COLUMNS, type CoreRow, toCore } from '../../rows.ts';
import { type Op, query } from '../../statement.ts';
import { readCore } from '../load.ts';

/**
 * Cancels every unfinished run of a lane (Q9), the queued ones first: stopping the current run
 * while others are queued would hold the lane.
 */
export function* cancelAll(change: LaneChange): Op<void> {
  const { lane } = change;
  // Two statements, so that each can use the index on positions.
  const joined = yield* query<CoreRow>(
    `SELECT ${CORE_COLUMNS} FROM runs r WHERE r.lane = $1 AND r.position > $2 AND r.state = 'queued' ORDER BY r.position`,
    [lane.id, lane.lastPosition],
  );
  const outside = yield* query<CoreRow>(
    `SELECT ${CORE_COLUMNS} FROM runs r WHERE r.lane = $1 AND r.position IS NULL AND r.state = 'queued' ORDER BY r.id`,
    [lane.id],
  );
  for (const row of [...joined, ...outside]) cancel(change, toCore(row), 'stop');
  const begun = lane.runId === null ? null : yield* readCore(lane.runId);
  if (begun !== null) cancel(change, begun, 'stop');
}
