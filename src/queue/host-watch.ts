import type { Logger } from './logger.ts';
import type { QueueStore } from './store.ts';

/** Names the hosts that ready lanes wait for in vain, whenever that set changes (Q23). */
export class HostWatch {
  readonly #store: Pick<QueueStore, 'strandedHosts'>;
  readonly #log: Logger;
  #last = '';

  constructor(store: Pick<QueueStore, 'strandedHosts'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  async check(): Promise<void> {
    const hosts = [...(await this.#store.strandedHosts())].sort();
    const now = JSON.stringify(hosts);
    if (now === this.#last) return;
    const isFirst = this.#last === '';
    this.#last = now;
    if (hosts.length > 0) {
      this.#log.warn(
        { hosts },
        'Runs wait for hosts without a live worker; start one there, or move their sessions to another host with "baton session move"',
      );
    } else if (!isFirst)
      this.#log.info({}, 'All hosts that runs wait for have a live worker again');
  }
}
