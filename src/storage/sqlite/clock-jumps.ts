import { monotonicMs } from '../../queue/membership/lease-renewal.ts';

/** A smaller difference is a clock adjustment, not a jump. */
const LEAST_MS = 1000;

/**
 * How far the wall clock has moved relative to the monotonic clock, which never jumps, but stops
 * during sleep.
 */
export class ClockJumps {
  readonly #wall: () => number;
  readonly #steady: () => number;
  #offset: number;

  constructor(wall: () => number = Date.now, steady: () => number = monotonicMs) {
    this.#wall = wall;
    this.#steady = steady;
    this.#offset = wall() - steady();
  }

  /** Milliseconds the wall clock jumped since the last call; 0 if it did not. */
  since(): number {
    const jump = Math.round(this.#wall() - this.#steady() - this.#offset);
    if (Math.abs(jump) < LEAST_MS) return 0;
    this.#offset += jump;
    return jump;
  }

  /** Call this if the last jump could not be applied; the next call to `since` reports it again. */
  undo(jump: number): void {
    this.#offset -= jump;
  }
}
