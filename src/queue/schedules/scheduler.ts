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
  #pulse: Coalescer | null = null;
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
    if (this.#pulse !== null) return;
    const pulse = new Coalescer(() => this.#look(pulse));
    this.#pulse = pulse;
    this.#unlisten = this.#options.store.onHint((hint) => {
      if (hint.schedules === true) pulse.trigger();
    });
    pulse.trigger();
  }

  /** Resolves when what is being fired is fired. */
  async stop(): Promise<void> {
    const pulse = this.#pulse;
    this.#pulse = null;
    this.#unlisten();
    clearTimeout(this.#timer);
    await pulse?.stop();
  }

  async #look(pulse: Coalescer): Promise<void> {
    const { store, log, pollMs } = this.#options;
    let waitMs = pollMs;
    try {
      const { fired, nextMs } = await fireDue(store, log, () => this.#pulse !== pulse);
      this.#fired += fired;
      waitMs = Math.min(pollMs, nextMs ?? pollMs);
      if (this.#away) log.info({}, 'Schedules are fired again');
      this.#away = false;
    } catch (error) {
      // Said once for an outage. What is due meanwhile fires afterwards, each schedule once.
      if (!this.#away) log.warn({ reason: messageOf(error) }, 'Schedules cannot be fired');
      this.#away = true;
    }
    if (this.#pulse !== pulse) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => pulse.trigger(), waitMs);
    this.#timer.unref();
  }
}
