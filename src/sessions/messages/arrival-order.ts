import type { Principal } from '../../access/principal.ts';

/**
 * Keeps one person's messages to a session, and their edits of a run, in the order in which they
 * arrive at this node. Nobody waits for other people's, who may have no access at all. Preparing one takes several turns of the event loop if it is long, and reads the
 * database, so one that arrives later may be ready earlier. It is passed on only after the earlier
 * ones; from then on, the store keeps the order.
 */
export class ArrivalOrder {
  /**
   * For each person and session or run with something in preparation, resolves when the latest of it has been
   * passed on or refused.
   */
  readonly #latest = new Map<string, Promise<void>>();

  /**
   * Prepares something that is in order with everything of the same person that has the same `id`,
   * and passes it on after the earlier ones. `pass` must call the store before it awaits anything.
   */
  async pass<Prepared, Result>(
    { userId }: Pick<Principal, 'userId'>,
    id: string,
    prepare: () => Promise<Prepared>,
    pass: (prepared: Prepared) => Promise<Result>,
  ): Promise<Result> {
    const key = `${userId} ${id}`;
    const earlier = this.#latest.get(key);
    const { promise: mine, resolve: passed } = Promise.withResolvers<void>();
    this.#latest.set(key, mine);
    try {
      const prepared = await (earlier === undefined ? prepare() : after(earlier, prepare()));
      // Not awaited: messages that are sent together share a commit.
      return pass(prepared);
    } finally {
      passed();
      if (this.#latest.get(key) === mine) this.#latest.delete(key);
    }
  }
}

async function after<T>(earlier: Promise<void>, preparing: Promise<T>): Promise<T> {
  const [prepared] = await Promise.allSettled([preparing, earlier]);
  if (prepared.status === 'rejected') throw prepared.reason;
  return prepared.value;
}
