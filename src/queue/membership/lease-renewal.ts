import type { KeepLease, LeaseKeeper } from '../store.ts';

/*
 * Keeps a node's lease with two threads. One thread renews the lease, so it is not lost when the
 * event loop is blocked; the main thread sends heartbeats, so a process that hangs forever does not
 * keep the lease. Both threads see the same three numbers in shared memory. The entry point of a
 * store's renewal thread is little more than:
 *
 *   const lease = new SharedLease(workerData.buffer);
 *   const stop = startRenewing(lease, workerData.options, () => renewInDatabase(…));
 *   parentPort.once('message', () => stop().then(closeDatabase));
 *
 * and its keepLease: `keepShared(lease, options, () => stopThreadAndWait())`.
 */

/** The share of a lease that is not trusted, to allow for clock drift and requests in flight. */
const MARGIN = 0.1;
/** Delay before retrying a failed renewal, as a share of the renewal interval. */
const RETRY_PART = 0.2;
const BEAT_MS = 500;

/**
 * Milliseconds on a clock that never jumps and that all threads of a process share.
 * (`performance.now()` has a different zero in each thread.)
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const BEAT = 0;
const TRUSTED_UNTIL = 1;
const LOST = 2;

/** A lease shared by both threads; times are in nanoseconds of the shared clock. */
export class SharedLease {
  readonly buffer: SharedArrayBuffer;
  readonly #slots: BigInt64Array;

  /** If no buffer is given, creates a new lease, counted from the join sent at `sentAt`. */
  constructor(from: SharedArrayBuffer | { leaseMs: number; sentAt?: number | undefined }) {
    const fresh = !(from instanceof SharedArrayBuffer);
    this.buffer = fresh ? new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT) : from;
    this.#slots = new BigInt64Array(this.buffer);
    if (!fresh) return;
    this.beat();
    this.renewed(from.sentAt ?? monotonicMs(), from.leaseMs);
  }

  /** Records that the main thread is alive. */
  beat(): void {
    Atomics.store(this.#slots, BEAT, process.hrtime.bigint());
  }

  beatAgeMs(): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#slots, BEAT)) / 1e6;
  }

  /**
   * The store renewed the lease. Trust is counted from when the request was sent: the store started
   * the new lease no earlier than that, so trust ends before the lease does.
   */
  renewed(sentAt: number, leaseMs: number): void {
    const until = BigInt(Math.floor((sentAt + leaseMs * (1 - MARGIN)) * 1e6));
    Atomics.store(this.#slots, TRUSTED_UNTIL, until);
  }

  /**
   * The store reported that the lease is gone. This is final: the worker joins again as a new node.
   */
  lose(): void {
    Atomics.store(this.#slots, LOST, 1n);
  }

  lost(): boolean {
    return Atomics.load(this.#slots, LOST) !== 0n;
  }

  remainingMs(): number {
    if (this.lost()) return 0;
    return Number(Atomics.load(this.#slots, TRUSTED_UNTIL) - process.hrtime.bigint()) / 1e6;
  }
}

/** A main thread that has been silent for too long counts as hung, and its lease may expire. */
export const shouldRenew = (beatAgeMs: number, stallMs: number): boolean => beatAgeMs <= stallMs;

/**
 * The renewing side: renews every `renewMs` (sooner after a failure), one renewal at a time, until
 * the lease is lost. Returns a function that stops it and waits for a renewal in progress.
 */
export function startRenewing(
  lease: SharedLease,
  options: KeepLease,
  renew: () => boolean | Promise<boolean>,
): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underWay = Promise.resolve();

  const renewOnce = async (): Promise<void> => {
    let wait = options.renewMs;
    if (shouldRenew(lease.beatAgeMs(), options.stallMs)) {
      const sentAt = monotonicMs();
      try {
        if (await renew()) lease.renewed(sentAt, options.leaseMs);
        else lease.lose();
      } catch {
        // The database is unavailable. Keep trying until the lease can no longer be trusted.
        wait = options.renewMs * RETRY_PART;
      }
    } else {
      // Check more often, so a main thread that recovers in time keeps its lease.
      wait = options.renewMs * RETRY_PART;
    }
    if (!stopped && !lease.lost()) schedule(wait);
  };
  const schedule = (wait: number): void => {
    timer = setTimeout(() => {
      underWay = renewOnce();
    }, wait);
    timer.unref();
  };

  // Counts from the join, because a thread on a busy machine may take seconds to start.
  const since = monotonicMs() - (options.sentAt ?? monotonicMs());
  schedule(Math.max(0, options.renewMs - since));
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underWay;
  };
}

/**
 * The main thread's side of a lease that another thread renews: it sends heartbeats and reads the
 * result.
 */
export function keepShared(
  lease: SharedLease,
  options: KeepLease,
  stopRenewing: () => Promise<void>,
): LeaseKeeper {
  const timer = setInterval(() => lease.beat(), Math.min(BEAT_MS, options.stallMs / 4));
  timer.unref();
  let stopping: Promise<void> | undefined;
  return {
    remainingMs: () => lease.remainingMs(),
    lost: () => lease.lost(),
    stop: () => {
      clearInterval(timer);
      stopping ??= stopRenewing();
      return stopping;
    },
  };
}

/** For a store without a thread: renews the lease on the main thread. */
export function keepInProcess(
  options: KeepLease,
  renew: () => boolean | Promise<boolean>,
): LeaseKeeper {
  const lease = new SharedLease({ leaseMs: options.leaseMs, sentAt: options.sentAt });
  return keepShared(lease, options, startRenewing(lease, options, renew));
}
