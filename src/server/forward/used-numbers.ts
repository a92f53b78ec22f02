/**
 * Estimates of the database's clock may differ by as much between two requests, and a number must not be
 * forgotten before its credential has expired on every one of them.
 */
const MARGIN_MS = 5000;

/**
 * The numbers of the credentials that were accepted here, until these have expired. Memory is enough:
 * after a restart the node has another id, and no earlier credential is for it. Only nodes can make
 * numbers; if even they make too many, further ones are refused.
 */
export class UsedNumbers {
  readonly #most: number;
  /** Oldest first, with the time at which each may be forgotten. */
  readonly #used = new Map<string, number>();

  constructor(most = 100_000) {
    this.#most = most;
  }

  get size(): number {
    return this.#used.size;
  }

  /** False if the number was used before, or there is no room for it. */
  use(number: string, expiresAt: number, now: number): boolean {
    for (const [oldest, forgetAt] of this.#used) {
      if (forgetAt > now) break;
      this.#used.delete(oldest);
    }
    if (this.#used.has(number) || this.#used.size >= this.#most) return false;
    this.#used.set(number, expiresAt + MARGIN_MS);
    return true;
  }
}
