import { Coalescer } from '../coalescer.ts';
import { messageOf } from '../handler-result.ts';
import { type Logger, SILENT } from '../logger.ts';
import type { Store } from '../store.ts';
import { fireDue, type Ticking } from './fire-due.ts';

export interface SchedulerOptions {
  readonly store: Ticking & Pick<Store, 'onHint'>;
  /** The longest time between two looks, for the case that a hint is lost. */
  readonly pollMs?: number;
  readonly log?: Logger;
}

/**
 * Fires the schedules of a store (Q13). Any number of nodes may run one each: a tick is fired by
 * the first, in one transaction, and none of them leads. It looks when the next tick is due, when a
 * schedule changed, and at each poll.
 *
 * `start()` and `stop()` may be called twice and in any order.
 */
export class Scheduler {
  readonly #options: Required<SchedulerOptions>;
  #coalescer: Coalescer | null = null;
  #timer: NodeJS.Timeout | undefined;
  #unlisten: () => void = () => {};
  #away = false;
  #fired = 0;

  constructor(options: SchedulerOptions) {
    this.#options = { pollMs: 1000, log: SILENT, ...options };
  }

  /** Ticks this process has fired. */
  get fired(): number {
    return this.#fired;
  }

  start(): void {
    if (this.#coalescer !== null) return;
    const coalescer = new Coalescer(() => this.#look(coalescer));
    this.#coalescer = coalescer;
    this.#unlisten = this.#options.store.onHint((hint) => {
      if (hint.schedules === true) coalescer.trigger();
    });
    coalescer.trigger();
  }

  /** Resolves when what is being fired is fired. */
  async stop(): Promise<void> {
    const coalescer = this.#coalescer;
    this.#coalescer = null;
    this.#unlisten();
    clearTimeout(this.#timer);
    await coalescer?.stop();
  }

  async #look(coalescer: Coalescer): Promise<void> {
    const { store, log, pollMs } = this.#options;
    let waitMs = pollMs;
    try {
      const { fired, nextMs } = await fireDue(store, log, () => this.#coalescer !== coalescer);
      this.#fired += fired;
      waitMs = Math.min(pollMs, nextMs ?? pollMs);
      if (this.#away) log.info({}, 'Schedules are fired again');
      this.#away = false;
    } catch (error) {
      // Said once for an outage. What is due meanwhile fires afterwards, each schedule once.
      if (!this.#away) log.warn({ reason: messageOf(error) }, 'Schedules cannot be fired');
      this.#away = true;
    }
    if (this.#coalescer !== coalescer) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => coalescer.trigger(), waitMs);
    this.#timer.unref();
  }
}
