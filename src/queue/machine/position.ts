/*
 * Positions in a lane are numbers with gaps, so a run can move between two others without touching
 * them. Every queued run's position is greater than the lane's `lastPosition` (that of the last run
 * begun) and smaller than its `nextPosition`.
 */

/** The gap after a run that joins at the end: room for ten halvings before a renumbering. */
export const POSITION_STEP = 1024;

/** The position halfway between two neighbours, or null if there is no room between them. */
export function positionBetween(before: number, after: number): number | null {
  const middle = Math.floor((before + after) / 2);
  return middle > before && middle < after ? middle : null;
}

/** The `index`-th position when the queued runs of a lane are renumbered from `nextPosition`. */
export const renumbered = (nextPosition: number, index: number): number =>
  nextPosition + index * POSITION_STEP;
