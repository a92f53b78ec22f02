import type { RunQueue } from '../run-queue.ts';
import { RunningAttempts } from './running-attempts.ts';
import { WorkerLoop, type WorkerStats } from './worker-loop.ts';
import { type Settings, settingsOf, type WorkerOptions } from './worker-settings.ts';

/**
 * Executes the runs of a queue: joins as a node, claims runs for its free slots on hints and at
 * each poll, and compares its attempts with the database. While the database is unavailable, it
 * continues until its lease expires; after losing its lease, it joins again.
 *
 * `start()` and `stop()` may be called twice and in any order.
 */
export class Worker {
  readonly #settings: Settings;
  /**
   * Kept across stops, because the lane of a handler that has not returned stays blocked even after
   * a restart.
   */
  readonly #attempts: RunningAttempts;
  readonly #stats: WorkerStats = { leaseLosses: 0, takenOver: 0, stopped: false };
  #loop: WorkerLoop | null = null;
  #started: Promise<void> = Promise.resolve();

  constructor(queue: RunQueue, options: WorkerOptions = {}) {
    this.#settings = settingsOf(queue, options);
    this.#attempts = new RunningAttempts(this.#settings.log, this.#settings.returnMs);
  }

  /**
   * Resolves when the node has joined or the worker is stopped; until the database is available,
   * it keeps trying to join. Handlers registered later take effect at the next start.
   */
  start(): Promise<void> {
    if (this.#loop === null || this.#loop.stopping) {
      const before = this.#loop?.stop();
      this.#loop = new WorkerLoop(this.#settings, this.#attempts, this.#stats);
      this.#started = this.#loop.start(before);
    }
    return this.#started;
  }

  /**
   * Stops claiming immediately, gives running handlers a grace period, then aborts their signals
   * and hands back unfinished runs (Q20). `immediate` skips the grace period, even if a stop is
   * already in progress.
   */
  stop(options: { immediate?: boolean } = {}): Promise<void> {
    if (this.#loop === null) return Promise.resolve();
    if (options.immediate === true) this.#loop.hurry();
    return this.#loop.stop();
  }

  /** The id of this worker's node; null without a lease. */
  get nodeId(): string | null {
    return this.#loop?.member?.id ?? null;
  }

  /** How long its lease can still be trusted; 0 if it has none. */
  get leaseRemainingMs(): number {
    return Math.max(0, this.#loop?.member?.remainingMs ?? 0);
  }

  /** The number of runs that occupy a slot; a run with an open question occupies none. */
  get executing(): number {
    return this.#attempts.executing;
  }

  get stats(): Readonly<WorkerStats> {
    return { ...this.#stats };
  }
}
