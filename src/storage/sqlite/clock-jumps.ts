import { monotonicMs } from '../../queue/node/lease-keeper.ts';

/** Less than this is a clock being kept right, not a jump. */
const LEAST_MS = 1000;

/** How far the wall clock has moved beside the one that never jumps (and stands still in sleep). */
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

  /** The last jump could not be followed; it is told again. */
  undo(jump: number): void {
    this.#offset -= jump;
  }
}
