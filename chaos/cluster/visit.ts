import type { Person } from './people.ts';

/** One stream of a session, read until it ends or is closed. */
export class Visit {
  readonly #closing = new AbortController();
  readonly #over: Promise<void>;

  constructor(guest: Person, session: string) {
    const { urls, token } = guest.caller;
    const options = {
      signal: this.#closing.signal,
      headers: { authorization: `Bearer ${token}` },
    };
    this.#over = fetch(`${urls[0]}/api/v1/sessions/${session}/events`, options)
      .then((answer) => answer.text())
      // A cut-off stream counts as ended: a reconnection is checked again.
      .then(
        () => {},
        () => {},
      );
  }

  /** False on timeout. */
  async ended(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    const ended = await Promise.race([this.#over.then(() => true), promise]);
    clearTimeout(timer);
    return ended;
  }

  leave(): void {
    this.#closing.abort();
  }
}
