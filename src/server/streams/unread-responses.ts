import type { ServerResponse } from 'node:http';

/** The longest interval between two checks of the readers' progress. */
const CHECK_MS = 1000;
/** The minimum number of checks without progress before a reader counts as stalled. */
const CHECKS_MIN = 6;

/**
 * How much of a response the reader has taken, and how many checks in a row have seen no progress.
 * Time is not measured, because it also passes while this process is busy.
 */
interface Progress {
  written: number | undefined;
  checks: number;
}

/**
 * Closes the connection of a response whose reader takes no data. The socket's own timeout would
 * not help, because anything the reader sends restarts it. One timer serves all responses, because
 * most end before it fires.
 */
export class UnreadResponses {
  readonly #checkMs: number;
  readonly #checksMax: number;
  readonly #responses = new Map<ServerResponse, Progress>();
  #timer: NodeJS.Timeout | null = null;

  constructor(stallMs: number) {
    this.#checkMs = Math.min(CHECK_MS, stallMs / CHECKS_MIN);
    this.#checksMax = Math.ceil(stallMs / this.#checkMs);
  }

  watch(raw: ServerResponse): void {
    if (raw.destroyed || this.#responses.has(raw)) return;
    this.#responses.set(raw, { written: undefined, checks: 0 });
    raw.once('close', () => this.#responses.delete(raw));
    this.#timer ??= setInterval(() => this.#check(), this.#checkMs).unref();
  }

  #check(): void {
    for (const [raw, progress] of this.#responses) {
      const before = progress.written;
      progress.written = raw.socket?.bytesWritten;
      // If there is nothing left to take, the database is slow, not the reader.
      if (progress.written !== before || raw.writableLength === 0) progress.checks = 0;
      // The response may have no socket yet, because it waits behind a stream on the same
      // connection.
      else if (++progress.checks >= this.#checksMax) raw.req.socket.destroy();
    }
    if (this.#responses.size > 0) return;
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }
}
