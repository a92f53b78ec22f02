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
  /** Runs removed in one transaction, so that a large purge does not stop the others. */
  readonly batch?: number;
  readonly log?: Logger;
  readonly clock?: Clock;
}

/** Removes finished runs some days after their end (Q21). Lanes that are kept keep theirs. */
export class Purger {
  readonly #options: Required<PurgerOptions>;
  #pulse: Coalescer | null = null;
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

  /** Runs removed since this process began. */
  get purged(): number {
    return this.#purged;
  }

  /** Purges now and then at each interval. Safe to call twice. */
  start(): void {
    if (this.#pulse !== null) return;
    this.#pulse = new Coalescer(() => this.#purgeAll());
    this.#timer = setInterval(() => this.#pulse?.trigger(), this.#options.everyMs);
    this.#timer.unref();
    this.#pulse.trigger();
  }

  /** Resolves when a batch under way is over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const pulse = this.#pulse;
    this.#pulse = null;
    await pulse?.stop();
  }

  async #purgeAll(): Promise<void> {
    const { store, keepMs, batch, log, clock } = this.#options;
    const before = clock() - keepMs;
    const total = { runs: 0, lanes: 0 };
    try {
      let more = true;
      while (more && this.#pulse !== null) {
        const { runs, lanes } = await store.purge({ before, limit: batch });
        total.runs += runs;
        total.lanes += lanes;
        more = runs >= batch;
      }
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'The purge stopped early; it is tried again');
    }
    this.#purged += total.runs;
    if (total.runs > 0) log.info({ ...total, before: new Date(before).toISOString() }, 'Purged');
  }
}
