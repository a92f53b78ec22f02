import type { ServerResponse } from 'node:http';

/** How often to check whether readers have taken anything. */
const CHECK_MS = 1000;

/** How much of a response the reader has taken, and when that last changed. */
interface Progress {
  written: number | undefined;
  since: number;
}

/**
 * Closes the connection of a response whose reader takes nothing. The socket's own timeout would
 * not do, because anything the reader sends restarts it. One timer serves all responses, because
 * most end before it fires.
 */
export class UnreadResponses {
  readonly #stallMs: number;
  readonly #responses = new Map<ServerResponse, Progress>();
  #timer: NodeJS.Timeout | null = null;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  watch(raw: ServerResponse): void {
    if (raw.destroyed || this.#responses.has(raw)) return;
    this.#responses.set(raw, { written: undefined, since: performance.now() });
    raw.once('close', () => this.#responses.delete(raw));
    this.#timer ??= setInterval(() => this.#check(), Math.min(CHECK_MS, this.#stallMs)).unref();
  }

  #check(): void {
    const now = performance.now();
    for (const [raw, progress] of this.#responses) {
      const before = progress.written;
      progress.written = raw.socket?.bytesWritten;
      // If there is nothing left to take, the database is slow, not the reader.
      if (progress.written !== before || raw.writableLength === 0) progress.since = now;
      // The response may have no socket yet, because it waits behind a stream on the same
      // connection.
      else if (now - progress.since >= this.#stallMs) raw.req.socket.destroy();
    }
    if (this.#responses.size > 0) return;
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
  }
}
