import type { Logger } from '../logger.ts';

export interface ProblemLogOptions {
  /** Lists the names that currently have the problem. */
  readonly list: () => Promise<readonly string[]>;
  /** The log field for the names. */
  readonly field: string;
  readonly problem: string;
  readonly recovered: string;
}

/** Logs which names have a problem: whenever the set changes, and once it is empty. */
export class ProblemLog {
  readonly #options: ProblemLogOptions;
  readonly #log: Logger;
  #last = '[]';

  constructor(options: ProblemLogOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  async check(): Promise<void> {
    const { list, field, problem, recovered } = this.#options;
    const names = [...(await list())].sort();
    const now = JSON.stringify(names);
    if (now === this.#last) return;
    this.#last = now;
    if (names.length > 0) this.#log.warn({ [field]: names }, problem);
    else this.#log.info({}, recovered);
  }
}
