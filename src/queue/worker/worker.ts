import type { RunQueue } from '../run-queue.ts';
import { RunningAttempts } from './running-attempts.ts';
import { WorkerLoop, type WorkerStats } from './worker-loop.ts';
import { type Settings, settingsOf, type WorkerOptions } from './worker-settings.ts';

/**
 * Executes the runs of a queue: joins as a node, claims as many runs as it has free slots, on hints
 * and at each poll, and compares what it executes with what the database says. While the database
 * is away it goes on for as long as its lease is good; after a lost lease it joins anew.
 *
 * `start()` and `stop()` may be called twice and in any order.
 */
export class Worker {
  readonly #settings: Settings;
  /** Outlives a stop: a handler that has not returned keeps its lane from this process's next life. */
  readonly #held: RunningAttempts;
  readonly #stats: WorkerStats = { leaseLosses: 0, takenOver: 0, stopped: false };
  #loop: WorkerLoop | null = null;
  #started: Promise<void> = Promise.resolve();

  constructor(queue: RunQueue, options: WorkerOptions = {}) {
    this.#settings = settingsOf(queue, options);
    this.#held = new RunningAttempts(this.#settings.log, this.#settings.returnMs);
  }

  /**
   * Resolves when the node has joined, however long the database is away, or when it was stopped.
   * Handlers registered later are not executed until the next start.
   */
  start(): Promise<void> {
    if (this.#loop === null || this.#loop.stopping) {
      const before = this.#loop?.stop();
      this.#loop = new WorkerLoop(this.#settings, this.#held, this.#stats);
      this.#started = this.#loop.start(before);
    }
    return this.#started;
  }

  /**
   * Stops claiming at once, gives running handlers their grace, then tells them to stop and hands
   * back what they did not finish (Q20). With `immediate`, also during a stop, there is no grace.
   */
  stop(options: { immediate?: boolean } = {}): Promise<void> {
    if (this.#loop === null) return Promise.resolve();
    if (options.immediate === true) this.#loop.hurry();
    return this.#loop.stop();
  }

  /** The id of its node, while it has a lease. */
  get nodeId(): string | null {
    return this.#loop?.member?.id ?? null;
  }

  /** How long its lease may still be relied on; 0 without one. */
  get leaseRemainingMs(): number {
    return Math.max(0, this.#loop?.member?.remainingMs ?? 0);
  }

  /** Runs that take a slot now; a run whose question is open takes none. */
  get executing(): number {
    return this.#held.executing;
  }

  get stats(): Readonly<WorkerStats> {
    return { ...this.#stats };
  }
}
