import { isLong } from '../give-way.ts';

/**
 * Keeps the messages of a session in order while long ones are prepared in several turns of the
 * event loop: a short message must not overtake a long one that arrived earlier.
 */
export class MessageOrder {
  /**
   * For each session with a long message in preparation, resolves when its latest message has been
   * passed on or refused.
   */
  readonly #latest = new Map<string, Promise<void>>();

  /** Prepares a message, and passes it on after the session's earlier messages. */
  async pass<Prepared, Result>(
    { sessionId, message }: { readonly sessionId: string; readonly message: string },
    prepare: () => Promise<Prepared>,
    pass: (prepared: Prepared) => Promise<Result>,
  ): Promise<Result> {
    const earlier = this.#latest.get(sessionId);
    if (earlier === undefined && !isLong(message)) return pass(await prepare());
    const { promise: mine, resolve: passed } = Promise.withResolvers<void>();
    this.#latest.set(sessionId, mine);
    try {
      const [prepared] = await Promise.allSettled([prepare(), earlier]);
      if (prepared.status === 'rejected') throw prepared.reason;
      // Not awaited: to keep the order, it is enough that the next message is passed on later.
      return pass(prepared.value);
    } finally {
      passed();
      if (this.#latest.get(sessionId) === mine) this.#latest.delete(sessionId);
    }
  }
}
