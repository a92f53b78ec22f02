import { Coalescer } from './coalescer.ts';
import { messageOf } from './handler-result.ts';
import { type Logger, SILENT } from './logger.ts';
import type { Clock, QueueStore } from './store.ts';

const DAY_MS = 86_400_000;

export interface PurgerOptions {
  readonly store: Pick<QueueStore, 'purge'>;
  /** How long finished runs are kept. */
  readonly keepMs?: number;
  readonly everyMs?: number;
  /** Number of runs removed per transaction; batches keep a large purge from blocking others. */
  readonly batch?: number;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** Removes finished runs some days after they ended (Q21), except those of `kept` lanes. */
export class Purger {
  readonly #options: Required<PurgerOptions>;
  #coalescer: Coalescer | null = null;
  #timer: NodeJS.Timeout | undefined;
  #purged = 0;

  constructor(options: PurgerOptions) {
    this.#options = {
      keepMs: 7 * DAY_MS,
      everyMs: 3_600_000,
      batch: 1000,
      log: SILENT,
      clock: Date.now,
      ...options,
    };
  }

  /** Number of runs removed since this process started. */
  get purged(): number {
    return this.#purged;
  }

  /** Purges at once, and again at each interval. Safe to call twice. */
  start(): void {
    if (this.#coalescer !== null) return;
    this.#coalescer = new Coalescer(() => this.#purgeAll());
    this.#timer = setInterval(() => this.#coalescer?.trigger(), this.#options.everyMs);
    this.#timer.unref();
    this.#coalescer.trigger();
  }

  /** Resolves when any batch in progress has finished. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const coalescer = this.#coalescer;
    this.#coalescer = null;
    await coalescer?.stop();
  }

  async #purgeAll(): Promise<void> {
    const { store, keepMs, batch, log, clock } = this.#options;
    const before = clock() - keepMs;
    const total = { runs: 0, lanes: 0 };
    try {
      let more = true;
      while (more && this.#coalescer !== null) {
        const { runs, lanes } = await store.purge({ before, limit: batch });
        total.runs += runs;
        total.lanes += lanes;
        more = runs >= batch;
      }
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'The purge stopped early; retrying later');
    }
    this.#purged += total.runs;
    if (total.runs > 0) log.info({ ...total, before: new Date(before).toISOString() }, 'Purged');
  }
}
