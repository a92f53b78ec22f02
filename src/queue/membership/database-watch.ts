import { type ErrorCode, isBatonError } from '../../contract/errors.ts';
import { backoff } from '../../contract/functions/growing-wait.ts';
import type { Logger } from '../logger.ts';

/** Errors after which nothing has changed and a retry may succeed. */
const TRANSIENT: readonly ErrorCode[] = [
  'database_unreachable',
  'database_read_only',
  'database_replaced',
  'disk_full',
  'data_in_use',
];
const WAITS = { firstMs: 100, capMs: 5000 };
/** The same refusal is logged at most this often. */
const REPORT_MS = 30_000;

interface Trouble {
  readonly since: number;
  /** The database can be read but not written to. */
  readonly readable: boolean;
  failures: number;
  retryAt: number;
}

export const isTransient = (error: unknown): boolean =>
  isBatonError(error) && TRANSIENT.includes(error.code);

/**
 * Tracks whether the database responds; shared by all parts of one worker. Logs once when the
 * database becomes unavailable and once when it is back; in between, requests back off.
 */
export class DatabaseWatch {
  readonly #log: Logger;
  #trouble: Trouble | null = null;
  #ended = false;
  #lastReport = { message: '', at: 0 };
  readonly #sleepers = new Set<() => void>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** True until the next retry is due. */
  resting(kind: 'read' | 'write'): boolean {
    if (this.#trouble === null || (kind === 'read' && this.#trouble.readable)) return false;
    return performance.now() < this.#trouble.retryAt;
  }

  answered(kind: 'read' | 'write'): void {
    const trouble = this.#trouble;
    if (trouble === null || (kind === 'read' && trouble.readable)) return;
    const awayMs = Math.round(performance.now() - trouble.since);
    this.#log.info({ awayMs }, 'The database is responding again');
    this.#trouble = null;
    this.#wakeAll();
  }

  failed(error: unknown): void {
    const now = performance.now();
    if (!isTransient(error)) {
      this.#report(error, now);
      return;
    }
    if (this.#trouble === null) {
      const readable = !isBatonError(error, 'database_unreachable');
      this.#trouble = { since: now, readable, failures: 0, retryAt: 0 };
      this.#log.warn({ err: error }, 'The database is not responding; retrying');
    }
    const trouble = this.#trouble;
    if (now < trouble.retryAt) return;
    trouble.retryAt = now + backoff(++trouble.failures, WAITS);
  }

  /** Resolves when the next retry is due, or as soon as any request succeeds. */
  rest(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = (this.#trouble?.retryAt ?? 0) - performance.now();
    const timer = setTimeout(() => wake(), Math.max(WAITS.firstMs, wait));
    const wake = (): void => {
      clearTimeout(timer);
      this.#sleepers.delete(wake);
      resolve();
    };
    this.#sleepers.add(wake);
    return promise;
  }

  /** Wakes everything that is waiting, and prevents further waits. */
  end(): void {
    this.#ended = true;
    this.#wakeAll();
  }

  #report(error: unknown, now: number): void {
    const message = error instanceof Error ? error.message : String(error);
    const again = message === this.#lastReport.message && now - this.#lastReport.at < REPORT_MS;
    if (again) return;
    this.#lastReport = { message, at: now };
    this.#log.error({ err: error }, 'The store refused a request; retrying');
  }

  #wakeAll(): void {
    for (const wake of [...this.#sleepers]) wake();
  }
}
