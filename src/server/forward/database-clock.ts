/** How long a reading of the clock is reused. */
const READ_EVERY_MS = 10_000;
/**
 * If the process's two clocks have drifted apart by more than this since the reading, the machine
 * slept or its clock was set.
 */
const JUMP_MS = 1000;

interface Reading {
  /** The database's time at `monotonic`. */
  readonly time: number;
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * A node's estimate of the database's clock, without a query for every request. The estimate is
 * accurate to within the duration of one query. Nodes agree on the time however wrong their own
 * clocks are.
 */
export class DatabaseClock {
  readonly #read: () => Promise<number>;
  #reading: Promise<Reading> | null = null;
  #last: Reading | null = null;

  constructor(read: () => Promise<number>) {
    this.#read = read;
  }

  async now(): Promise<number> {
    const last = this.#last !== null && isFresh(this.#last) ? this.#last : await this.#again();
    return last.time + (performance.now() - last.monotonic);
  }

  #again(): Promise<Reading> {
    this.#reading ??= this.#ask().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #ask(): Promise<Reading> {
    const asked = performance.now();
    const time = await this.#read();
    const monotonic = performance.now();
    this.#last = { time: time + (monotonic - asked) / 2, monotonic, wall: Date.now() };
    return this.#last;
  }
}

function isFresh({ monotonic, wall }: Reading): boolean {
  const passed = performance.now() - monotonic;
  return passed < READ_EVERY_MS && Math.abs(Date.now() - wall - passed) < JUMP_MS;
}
