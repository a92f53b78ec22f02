import type { Person } from './people.ts';

/** One stream of a session, read until it ends or is left. */
export class Visit {
  readonly #leaving = new AbortController();
  readonly #over: Promise<void>;

  constructor(guest: Person, session: string) {
    const { urls, token } = guest.caller;
    const options = {
      signal: this.#leaving.signal,
      headers: { authorization: `Bearer ${token}` },
    };
    this.#over = fetch(`${urls[0]}/api/v1/sessions/${session}/events`, options)
      .then((answer) => answer.text())
      // Cut off is as good as ended: whoever comes again is asked again.
      .then(
        () => {},
        () => {},
      );
  }

  /** False after the time. */
  async ended(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    const ended = await Promise.race([this.#over.then(() => true), promise]);
    clearTimeout(timer);
    return ended;
  }

  leave(): void {
    this.#leaving.abort();
  }
}
