import { Coalescer } from '../coalescer.ts';
import { messageOf } from '../handler-result.ts';
import { onTopic, SCHEDULES } from '../hint.ts';
import { type Logger, SILENT } from '../logger.ts';
import type { Store } from '../store.ts';
import { fireDue, type Ticking } from './fire-due.ts';

export interface SchedulerOptions {
  readonly store: Ticking & Pick<Store, 'onHint'>;
  /** The longest time between two passes, in case a hint is lost. */
  readonly pollMs?: number;
  readonly log?: Logger;
}

/**
 * Fires the schedules of a store (Q13). Any number of nodes may run a scheduler; there is no
 * leader. The first node to reach a due tick fires it, in one transaction. A pass runs when the
 * next tick is due, when a schedule changes, and at each poll.
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

  /** The number of ticks this process has fired. */
  get fired(): number {
    return this.#fired;
  }

  start(): void {
    if (this.#coalescer !== null) return;
    const coalescer = new Coalescer(() => this.#pass(coalescer));
    this.#coalescer = coalescer;
    this.#unlisten = onTopic(this.#options.store, SCHEDULES, () => coalescer.trigger());
    coalescer.trigger();
  }

  /** Resolves when any pass in progress has finished. */
  async stop(): Promise<void> {
    const coalescer = this.#coalescer;
    this.#coalescer = null;
    this.#unlisten();
    clearTimeout(this.#timer);
    await coalescer?.stop();
  }

  async #pass(coalescer: Coalescer): Promise<void> {
    const { store, log, pollMs } = this.#options;
    let waitMs = pollMs;
    try {
      const { fired, nextMs } = await fireDue(store, log, () => this.#coalescer !== coalescer);
      this.#fired += fired;
      waitMs = Math.min(pollMs, nextMs ?? pollMs);
      if (this.#away) log.info({}, 'Schedules are firing again');
      this.#away = false;
    } catch (error) {
      // Logged once per outage. Schedules that become due during an outage fire once afterwards.
      if (!this.#away) log.warn({ reason: messageOf(error) }, 'Schedules cannot fire');
      this.#away = true;
    }
    if (this.#coalescer !== coalescer) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => coalescer.trigger(), waitMs);
    this.#timer.unref();
  }
}
