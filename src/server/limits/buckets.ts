import type { Usage } from '../../access/access-store.ts';

interface Bucket {
  tokens: number;
  at: number;
  /** Taken here since it was last full. */
  used: number;
}

/** Past so many, the one left alone for longest is forgotten. */
const BUCKETS_MAX = 10_000;
const MINUTE_MS = 60_000;

/**
 * So many a minute and key. A bucket of that many fills again evenly, so that a burst passes and a
 * steady stream is held to the rate. What other nodes let pass is taken out, too, and may leave a debt.
 */
export class Buckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #max: number;
  /** The one used last is last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, now: () => number, max = BUCKETS_MAX) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#max = max;
  }

  /** Takes one; answers 0, or how many milliseconds it is until there is one. */
  take(key: string): number {
    const bucket = this.#bucketOf(key);
    if (bucket.tokens < 1) return (1 - bucket.tokens) * (MINUTE_MS / this.#perMinute);
    bucket.tokens--;
    bucket.used++;
    return 0;
  }

  /** Others have let pass so many. What is owed is at most what a minute brings. */
  takeForOthers(key: string, count: number): void {
    const bucket = this.#bucketOf(key);
    bucket.tokens = Math.max(-this.#perMinute, bucket.tokens - count);
  }

  /** What was taken here of those that are not full again; at most so many, the latest. */
  used(most: number): Usage[] {
    const now = this.#now();
    const found: Usage[] = [];
    for (const [key, bucket] of this.#buckets) {
      this.#fill(bucket, now);
      // A full one is as a new one.
      if (bucket.tokens === this.#perMinute) this.#buckets.delete(key);
      else if (bucket.used > 0) found.push({ key, value: bucket.used });
    }
    return found.slice(-most);
  }

  /** Nothing was taken yet, as others see it: they know this node by another name from now on. */
  restart(): void {
    for (const bucket of this.#buckets.values()) bucket.used = 0;
  }

  get size(): number {
    return this.#buckets.size;
  }

  #bucketOf(key: string): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { tokens: this.#perMinute, at: now, used: 0 };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#max) break;
      this.#buckets.delete(oldest);
    }
    this.#fill(bucket, now);
    return bucket;
  }

  #fill(bucket: Bucket, now: number): void {
    const filled = bucket.tokens + (now - bucket.at) * (this.#perMinute / MINUTE_MS);
    bucket.tokens = Math.min(this.#perMinute, filled);
    bucket.at = now;
    if (filled >= this.#perMinute) bucket.used = 0;
  }
}
