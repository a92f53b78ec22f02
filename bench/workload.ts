/** How many no-op runs, over how many lanes. */
export interface Workload {
  readonly runs: number;
  readonly lanes: number;
}

/** The lanes belong to so many users in turn. */
export const USERS = 100;

/** A peer that has not drained its queue by then is rated by what it did until then. */
export const TIME_BOX_MS = 20_000;

export const laneOf = (i: number, { lanes }: Workload): string => `lane-${i % lanes}`;
export const userOf = (i: number, { lanes }: Workload): string => `user-${(i % lanes) % USERS}`;

/** All indexes of the workload, in batches. */
export function* batches(runs: number, size: number): Generator<number[]> {
  for (let from = 0; from < runs; from += size) {
    yield Array.from({ length: Math.min(size, runs - from) }, (_, i) => from + i);
  }
}

/** Counts what was executed and tells when it was all. */
export class Tally {
  readonly all: Promise<void>;
  count = 0;
  readonly #expected: number;
  readonly #done: () => void;

  constructor(expected: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.all = promise;
    this.#expected = expected;
    this.#done = resolve;
  }

  add(n = 1): void {
    this.count += n;
    if (this.count > this.#expected) throw new Error('more was executed than enqueued');
    if (this.count === this.#expected) this.#done();
  }
}

export function mustBe(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}
