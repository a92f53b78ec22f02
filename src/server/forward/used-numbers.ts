/**
 * Estimates of the database's clock may differ by this much between two requests. A number must not
 * be forgotten before its credential has expired by every estimate.
 */
const MARGIN_MS = 5000;

/**
 * The numbers of the credentials that were accepted here, until they expire. Keeping them in memory
 * is enough: after a restart the node has another id, for which no earlier credential is valid.
 * Only nodes can create numbers; if there are too many anyway, further numbers are refused.
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

  /** Returns false if the number has been used before or there is no room for it. */
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
