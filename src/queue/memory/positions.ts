import type { LaneChange } from '../machine/lane-change.ts';
import { POSITION_STEP, positionBetween, renumbered } from '../machine/position.ts';
import type { LaneRecord, RunRecord } from './records.ts';
import { coreIn } from './tables.ts';

/** The position after all of the lane's runs. */
export function tailPosition(change: LaneChange): number {
  const position = change.lane.nextPosition;
  change.lane.nextPosition += POSITION_STEP;
  return position;
}

/** The position after the lane's current run and before all queued runs. */
export const headPosition = (lane: LaneRecord, change: LaneChange): number =>
  positionBefore(lane, change, lane.queue?.at(0), null);

/** The position right before a queued run, ignoring the run that moves there. */
export function positionBefore(
  lane: LaneRecord,
  change: LaneChange,
  next: RunRecord | undefined,
  moving: RunRecord | null,
): number {
  if (next === undefined || lane.queue === null) return tailPosition(change);
  const index = lane.queue.indexFrom(next.core.position as number);
  let previous = lane.queue.at(index - 1);
  if (previous === moving && moving !== null) previous = lane.queue.at(index - 2);
  const between = (): number | null =>
    positionBetween(
      (previous && coreIn(change, previous).position) ?? change.lane.lastPosition,
      coreIn(change, next).position as number,
    );
  const position = between();
  if (position !== null) return position;
  renumber(lane, change);
  return between() as number;
}

function renumber(lane: LaneRecord, change: LaneChange): void {
  const { queue } = lane;
  if (queue === null) return;
  const from = change.lane.nextPosition;
  for (let i = 0; i < queue.length; i++) {
    const core = change.touch(coreIn(change, queue.at(i) as RunRecord));
    core.position = renumbered(from, i);
  }
  change.lane.nextPosition = renumbered(from, queue.length);
}
