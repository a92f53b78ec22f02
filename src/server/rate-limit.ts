import type { Principal } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';

export interface RateLimit {
  readonly perMinute: number;
  /** Whether admins are limited, too. */
  readonly includeAdmin: boolean;
}

export const RATE_LIMIT: RateLimit = { perMinute: 100, includeAdmin: false };

interface Bucket {
  tokens: number;
  at: number;
}

/** Past so many users, those who have not asked for a minute are forgotten. */
const USERS_MAX = 10_000;
const MINUTE_MS = 60_000;

/**
 * Requests per minute and user (H9), counted on this node. A bucket of that many requests fills
 * again evenly, so that a burst passes and a steady stream is held to the rate.
 */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts a request; throws `rate_limited` if it is one too many. */
  take({ userId, role }: Principal): void {
    if (role === 'admin' && !this.#limit.includeAdmin) return;
    const now = this.#now();
    const bucket = this.#bucketOf(userId, now);
    const perMs = this.#limit.perMinute / MINUTE_MS;
    bucket.tokens = Math.min(this.#limit.perMinute, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    if (bucket.tokens < 1) {
      const retryAfterSeconds = Math.ceil((1 - bucket.tokens) / perMs / 1000);
      throw new BatonError('rate_limited', undefined, { details: { retryAfterSeconds } });
    }
    bucket.tokens--;
  }

  #bucketOf(userId: string, now: number): Bucket {
    let bucket = this.#buckets.get(userId);
    if (bucket === undefined) {
      if (this.#buckets.size >= USERS_MAX) this.#forget(now);
      bucket = { tokens: this.#limit.perMinute, at: now };
      this.#buckets.set(userId, bucket);
    }
    return bucket;
  }

  /** A bucket left alone for a minute is full, as a new one is. */
  #forget(now: number): void {
    for (const [userId, { at }] of this.#buckets) {
      if (now - at >= MINUTE_MS) this.#buckets.delete(userId);
    }
  }
}
