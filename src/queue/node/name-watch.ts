import type { Logger } from '../logger.ts';

export interface NameWatchOptions {
  /** The names that something is wrong with now. */
  readonly list: () => Promise<readonly string[]>;
  /** The field that holds them in the log. */
  readonly field: string;
  readonly wrong: string;
  readonly right: string;
}

/** Logs names that something is wrong with, whenever that set changes, and when none is left. */
export class NameWatch {
  readonly #options: NameWatchOptions;
  readonly #log: Logger;
  #last = '[]';

  constructor(options: NameWatchOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  async check(): Promise<void> {
    const { list, field, wrong, right } = this.#options;
    const names = [...(await list())].sort();
    const now = JSON.stringify(names);
    if (now === this.#last) return;
    this.#last = now;
    if (names.length > 0) this.#log.warn({ [field]: names }, wrong);
    else this.#log.info({}, right);
  }
}
