/*
 * Places in a lane are numbers with gaps, so that a run can go between two others without touching
 * them. They only ever rise past what has begun: every queued run's place is greater than the
 * lane's `lastPosition`, and smaller than its `nextPosition`.
 */

/** The gap left behind a run that joins at the end: room for ten halvings before a renumbering. */
export const POSITION_STEP = 1024;

/** The place in the middle of two neighbours, or null if there is no room between them. */
export function positionBetween(before: number, after: number): number | null {
  const middle = Math.floor((before + after) / 2);
  return middle > before && middle < after ? middle : null;
}

/** The `index`-th place when the queued runs of a lane are numbered anew behind `nextPosition`. */
export const renumbered = (nextPosition: number, index: number): number =>
  nextPosition + index * POSITION_STEP;
