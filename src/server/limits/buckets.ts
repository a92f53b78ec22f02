import type { Usage } from '../../access/access-store.ts';

interface Bucket {
  tokens: number;
  at: number;
  /** Taken here, and when last. */
  used: number;
  usedAt: number;
}

/** Past so many, the one left alone for longest is forgotten. */
const BUCKETS_MAX = 10_000;
const MINUTE_MS = 60_000;
/** So many minutes' worth may be owed: what six nodes let pass at once. */
const DEBT_MINUTES = 5;
/** What was taken is told for so long at least, also of a bucket that is full again. */
const TELL_MS = 10_000;

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
    bucket.usedAt = bucket.at;
    return 0;
  }

  /** Others have let pass so many, of which not everything may be there any more. */
  takeForOthers(key: string, count: number): void {
    const bucket = this.#bucketOf(key);
    bucket.tokens = Math.max(-DEBT_MINUTES * this.#perMinute, bucket.tokens - count);
  }

  /**
   * What was taken here, of those that are not full again and those used lately; at most so many, the
   * latest. Others are forgotten, and begin at nothing when they are used again.
   */
  used(most: number): Usage[] {
    const now = this.#now();
    const found: Usage[] = [];
    for (const [key, bucket] of this.#buckets) {
      this.#fill(bucket, now);
      const isFull = bucket.tokens === this.#perMinute;
      if (isFull && now - bucket.usedAt >= TELL_MS) this.#buckets.delete(key);
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
    const bucket = this.#buckets.get(key) ?? {
      tokens: this.#perMinute,
      at: now,
      used: 0,
      usedAt: now,
    };
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
  }
}
