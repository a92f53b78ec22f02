import type { LaneChange } from '../../queue/machine/lane-change.ts';
import { POSITION_STEP, positionBetween } from '../../queue/machine/position.ts';
import { type Op, query, queryOne } from '../statement.ts';

/** The place behind all others. */
export function tailPosition(change: LaneChange): number {
  const place = change.lane.nextPosition;
  change.lane.nextPosition += POSITION_STEP;
  return place;
}

/** The place before all queued runs, behind the one that has begun. */
export function* headPosition(change: LaneChange): Op<number> {
  const first = yield* queryOne<{ position: number }>(
    `SELECT position FROM runs WHERE lane = $1 AND position > $2 AND state = 'queued' ORDER BY position LIMIT 1`,
    [change.lane.id, change.lane.lastPosition],
  );
  if (first === null) return tailPosition(change);
  const place = positionBetween(change.lane.lastPosition, first.position);
  if (place !== null) return place;
  yield* renumber(change);
  return yield* headPosition(change);
}

/** The place right before a queued run; `moving` itself does not count as a neighbour. */
export function* positionBefore(change: LaneChange, before: string, moving: string): Op<number> {
  const target = yield* queryOne<{ position: number }>('SELECT position FROM runs WHERE id = $1', [
    before,
  ]);
  const neighbour = yield* queryOne<{ position: number }>(
    `SELECT position FROM runs WHERE lane = $1 AND position > $2 AND position < $3 AND state = 'queued' AND id <> $4
     ORDER BY position DESC LIMIT 1`,
    [change.lane.id, change.lane.lastPosition, target!.position, moving],
  );
  const place = positionBetween(neighbour?.position ?? change.lane.lastPosition, target!.position);
  if (place !== null) return place;
  yield* renumber(change);
  return yield* positionBefore(change, before, moving);
}

/** Gives the queued runs of a lane new places behind all old ones, with room between them. */
function* renumber(change: LaneChange): Op<void> {
  const { lane } = change;
  yield* query(
    `UPDATE runs SET position = n.place FROM (
       SELECT id, $3 + (row_number() OVER (ORDER BY position)) * ${POSITION_STEP} AS place
       FROM runs WHERE lane = $1 AND position > $2 AND state = 'queued') n
     WHERE runs.id = n.id`,
    [lane.id, lane.lastPosition, lane.nextPosition],
  );
  lane.nextPosition += (lane.queued + 2) * POSITION_STEP;
}
