/** A number of no-op runs, spread over lanes. */
export interface Workload {
  readonly runs: number;
  readonly lanes: number;
  /**
   * Drained right after enqueueing, on tables without statistics. Otherwise the tables are vacuumed
   * and analysed first, for all contenders.
   */
  readonly fresh?: boolean;
}

/** The number of users among whom the lanes are divided. */
export const USERS = 100;

/** A peer that has not drained its queue by then is rated by what it has completed. */
export const TIME_BOX_MS = 20_000;

/**
 * The lane of each run, in the order of enqueueing: mixed, like messages of many sessions, but the
 * same for all contenders, with an equal share for each lane.
 */
export function lanesOf({ runs, lanes }: Workload): number[] {
  const order = Array.from({ length: runs }, (_, i) => i % lanes);
  let seed = 1;
  for (let i = order.length - 1; i > 0; i--) {
    seed = (seed * 48_271) % 2_147_483_647;
    const j = seed % (i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** The payloads to enqueue, in batches. */
export function* batches(workload: Workload, size: number): Generator<Payload[]> {
  const payloads = lanesOf(workload).map((lane, i) => ({ i, lane }));
  for (let from = 0; from < payloads.length; from += size) yield payloads.slice(from, from + size);
}

/** The payload of a run, used to check the order. */
export interface Payload {
  readonly i: number;
  readonly lane: number;
}

/** Counts executions, resolves `all` when they are complete, and checks the order within lanes. */
export class Tally {
  readonly all: Promise<void>;
  count = 0;
  readonly #last = new Map<number, number>();
  readonly #expected: number;
  readonly #done: () => void;

  constructor(expected: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.all = promise;
    this.#expected = expected;
    this.#done = resolve;
  }

  /** Counts an execution, in any order. */
  add(): void {
    this.count++;
    if (this.count > this.#expected) throw new Error('more was executed than enqueued');
    if (this.count === this.#expected) this.#done();
  }

  /** Counts an execution, which must come after the previous one of its lane. */
  addInOrder({ i, lane }: Payload): void {
    if (i <= (this.#last.get(lane) ?? -1)) throw new Error(`lane ${lane} was not kept in order`);
    this.#last.set(lane, i);
    this.add();
  }
}

export function mustBe(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}
