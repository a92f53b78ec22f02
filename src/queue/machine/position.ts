/*
 * Positions in a lane are numbers with gaps, so a run can move between two others without touching
 * them. Every queued run's position is greater than the lane's `lastPosition` (the position of the
 * run that started last) and smaller than its `nextPosition`.
 */

/** The gap after a run that joins at the end: room for ten halvings before a renumbering. */
export const POSITION_STEP = 1024;

/** The position halfway between two neighbours, or null if there is no room between them. */
export function positionBetween(before: number, after: number): number | null {
  const middle = Math.floor((before + after) / 2);
  return middle > before && middle < after ? middle : null;
}

/**
 * The number of runs ahead of a run in its lane, as receipts report it: the run that has begun,
 * unless that is the run itself, and the queued runs before it. `admit_message` in
 * migrations/0016-admit-message.ts computes the same position in SQL, and the conformance suites
 * run on both.
 */
export const positionInLane = (begun: string | null, queuedBefore: number, id?: string): number =>
  (begun === null || begun === id ? 0 : 1) + queuedBefore;

/** The `index`-th position when the queued runs of a lane are renumbered from `nextPosition`. */
export const renumbered = (nextPosition: number, index: number): number =>
  nextPosition + index * POSITION_STEP;
