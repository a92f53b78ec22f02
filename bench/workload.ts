/** How many no-op runs, over how many lanes. */
export interface Workload {
  readonly runs: number;
  readonly lanes: number;
  /**
   * Drained as it was enqueued, on tables of which the server has no statistics yet. Else the tables
   * are vacuumed and analysed first, for all contenders.
   */
  readonly fresh?: boolean;
}

/** The lanes belong to so many users in turn. */
export const USERS = 100;

/** A peer that has not drained its queue by then is rated by what it did until then. */
export const TIME_BOX_MS = 20_000;

/**
 * The lane of each run, in the order they are enqueued: mixed, as messages of many sessions come in,
 * but the same for all contenders, and each lane has its share.
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

/** What to enqueue, in batches. */
export function* batches(workload: Workload, size: number): Generator<Payload[]> {
  const payloads = lanesOf(workload).map((lane, i) => ({ i, lane }));
  for (let from = 0; from < payloads.length; from += size) yield payloads.slice(from, from + size);
}

/** What each run carries, for checking the order. */
export interface Payload {
  readonly i: number;
  readonly lane: number;
}

/** Counts what was executed, tells when it was all, and checks the order within lanes. */
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

  /** One more was executed, in no order. */
  add(): void {
    this.count++;
    if (this.count > this.#expected) throw new Error('more was executed than enqueued');
    if (this.count === this.#expected) this.#done();
  }

  /** One more was executed, and must be later in its lane than the one before. */
  addInOrder({ i, lane }: Payload): void {
    if (i <= (this.#last.get(lane) ?? -1)) throw new Error(`lane ${lane} was not kept in order`);
    this.#last.set(lane, i);
    this.add();
  }
}

export function mustBe(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}
