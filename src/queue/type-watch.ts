import type { Logger } from './logger.ts';
import type { QueueStore } from './store.ts';

/** Names the queued types that no live node handles, whenever that set changes (Q17). */
export class TypeWatch {
  readonly #store: Pick<QueueStore, 'unhandledTypes'>;
  readonly #log: Logger;
  #last = '';

  constructor(store: Pick<QueueStore, 'unhandledTypes'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  async check(): Promise<void> {
    const types = [...(await this.#store.unhandledTypes())].sort();
    const now = types.join(' ');
    if (now === this.#last) return;
    this.#last = now;
    if (types.length > 0) this.#log.warn({ types }, 'Queued types that no live node handles');
    else this.#log.info({}, 'All queued types are handled again');
  }
}
