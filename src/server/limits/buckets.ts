import type { Usage } from '../../access/access-store.ts';

interface Bucket {
  tokens: number;
  at: number;
  /** How many tokens were taken on this node, and when the last one was taken. */
  used: number;
  usedAt: number;
}

/** Beyond this, the least recently used bucket is dropped. */
const BUCKETS_MAX = 10_000;
const MINUTE_MS = 60_000;
/** The largest debt, in minutes' worth of requests: what six nodes can admit at once. */
const DEBT_MINUTES = 5;
/** Usage is reported for at least this long, even if the bucket is full again. */
const REPORT_MS = 10_000;

/**
 * Token buckets: `perMinute` requests per key. A bucket refills evenly, so a burst passes and a
 * steady stream is held to the rate. Requests that other nodes admit are also deducted, and may
 * leave a debt. Packages for rate limits have stores of their own; here, one
 * exchange per second serves all limits.
 */
export class Buckets {
  readonly #perMinute: number;
  readonly #now: () => number;
  readonly #max: number;
  /** In order of use; the last is the most recently used. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, now: () => number, max = BUCKETS_MAX) {
    this.#perMinute = perMinute;
    this.#now = now;
    this.#max = max;
  }

  /** Takes a token and returns 0, or returns the milliseconds until a token is available. */
  take(key: string): number {
    const bucket = this.#bucketOf(key);
    if (bucket.tokens < 1) return (1 - bucket.tokens) * (MINUTE_MS / this.#perMinute);
    bucket.tokens--;
    bucket.used++;
    bucket.usedAt = bucket.at;
    return 0;
  }

  /** Deducts what other nodes admitted; may go into debt. */
  takeForOthers(key: string, count: number): void {
    const bucket = this.#bucketOf(key);
    bucket.tokens = Math.max(-DEBT_MINUTES * this.#perMinute, bucket.tokens - count);
  }

  /**
   * This node's usage of the buckets that are not full again yet or were used recently; if there
   * are more than `most`, only the latest ones. Other buckets are dropped, and start from zero when
   * they are used again.
   */
  used(most: number): Usage[] {
    const now = this.#now();
    const usages: Usage[] = [];
    for (const [key, bucket] of this.#buckets) {
      this.#fill(bucket, now);
      const isFull = bucket.tokens === this.#perMinute;
      if (isFull && now - bucket.usedAt >= REPORT_MS) this.#buckets.delete(key);
      else if (bucket.used > 0) usages.push({ key, value: bucket.used });
    }
    return usages.slice(-most);
  }

  /**
   * Resets the reported usage, because the node has a new id and other nodes know nothing about it
   * yet.
   */
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
