/**
 * How waits grow while something keeps failing. The callers share only a formula: each waits, gives
 * up and counts failures in its own way, so a retry library could not replace this code.
 */
export interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
  /** How many times longer each wait is than the previous wait. */
  readonly factor?: number;
}

/** The wait after this many failures in a row. */
export const backoff = (failures: number, { firstMs, capMs, factor = 2 }: Backoff): number =>
  Math.min(capMs, firstMs * factor ** Math.max(0, failures - 1));

/**
 * Lengthens a wait by up to half, at random, so that whatever failed at the same time is not tried
 * again at the same time.
 */
export const withJitter = (waitMs: number, random: () => number): number =>
  waitMs * (1 + random() / 2);
