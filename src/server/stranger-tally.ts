import type { FastifyBaseLogger } from 'fastify';

/** The shortest interval between log lines. */
const LOG_MS = 60_000;

/**
 * Counts strangers' refused requests and logs one line a minute. A line for each request would let
 * anyone who can connect fill the disk, or bury other lines.
 */
export class StrangerTally {
  readonly #log: Pick<FastifyBaseLogger, 'info'>;
  #byStatus: Record<string, number> = {};
  #timer: NodeJS.Timeout | null = null;

  constructor(log: Pick<FastifyBaseLogger, 'info'>) {
    this.#log = log;
  }

  add(status: number | 'aborted'): void {
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + 1;
    this.#timer ??= setTimeout(() => this.flush(), LOG_MS).unref();
  }

  flush(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#log.info({ byStatus: this.#byStatus }, 'Refused requests without a valid credential');
    this.#byStatus = {};
  }
}
