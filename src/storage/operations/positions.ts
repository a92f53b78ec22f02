import type { LaneChange } from '../../queue/machine/lane-change.ts';
import { POSITION_STEP, positionBetween } from '../../queue/machine/position.ts';
import { type Op, query, queryOne } from '../statement.ts';

/** The position after all others. */
export function tailPosition(change: LaneChange): number {
  const position = change.lane.nextPosition;
  change.lane.nextPosition += POSITION_STEP;
  return position;
}

/** The position before all queued runs, but after the run that has started. */
export function* headPosition(change: LaneChange): Op<number> {
  const first = yield* queryOne<{ position: number }>(
    `SELECT position FROM runs WHERE lane = $1 AND position > $2 AND state = 'queued' ORDER BY position LIMIT 1`,
    [change.lane.id, change.lane.lastPosition],
  );
  if (first === null) return tailPosition(change);
  const position = positionBetween(change.lane.lastPosition, first.position);
  if (position !== null) return position;
  yield* renumber(change);
  return yield* headPosition(change);
}

/** The position right before a queued run; `moving` itself does not count as a neighbour. */
export function* positionBefore(change: LaneChange, before: string, moving: string): Op<number> {
  const target = yield* queryOne<{ position: number }>('SELECT position FROM runs WHERE id = $1', [
    before,
  ]);
  const neighbour = yield* queryOne<{ position: number }>(
    `SELECT position FROM runs WHERE lane = $1 AND position > $2 AND position < $3 AND state = 'queued' AND id <> $4
     ORDER BY position DESC LIMIT 1`,
    [change.lane.id, change.lane.lastPosition, target!.position, moving],
  );
  const position = positionBetween(
    neighbour?.position ?? change.lane.lastPosition,
    target!.position,
  );
  if (position !== null) return position;
  yield* renumber(change);
  return yield* positionBefore(change, before, moving);
}

/** Gives the queued runs of a lane new positions after all old ones, with room between them. */
function* renumber(change: LaneChange): Op<void> {
  const { lane } = change;
  yield* query(
    `UPDATE runs SET position = n.position FROM (
       SELECT id, $3 + (row_number() OVER (ORDER BY position)) * ${POSITION_STEP} AS position
       FROM runs WHERE lane = $1 AND position > $2 AND state = 'queued') n
     WHERE runs.id = n.id`,
    [lane.id, lane.lastPosition, lane.nextPosition],
  );
  lane.nextPosition += (lane.queued + 2) * POSITION_STEP;
}
