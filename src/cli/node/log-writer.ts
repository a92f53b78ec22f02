import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The maximum number of bytes to keep while nothing can be written; further lines are dropped. */
const WAITING_MAX = 1024 * 1024;
const RETRY_MS = 100;
/** How long the process waits before it exits, if the reader of the last lines is slow. */
const FLUSH_MS = 500;

/**
 * Writes lines to a descriptor immediately, so that the last lines before a crash are not lost.
 * While that is not possible (the disk is full, or nobody reads the pipe), lines wait; if too many
 * wait, they are dropped and counted. Logging must neither bring down nor block the server. A pipe
 * must be non-blocking, which is how Node sets up `process.stderr`.
 */
export class LogWriter implements DestinationStream {
  readonly #write: (bytes: Uint8Array) => number;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #dropped = 0;
  #retry: NodeJS.Timeout | null = null;

  constructor(write: (bytes: Uint8Array) => number) {
    this.#write = write;
  }

  static to(descriptor: number): LogWriter {
    return new LogWriter((bytes) => writeSync(descriptor, bytes));
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#bytes + bytes.length > WAITING_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#reportDropped();
    this.#add(bytes);
    if (this.#retry === null) this.#writeWaiting();
  }

  /**
   * Writes the waiting lines, for at most half a second. Blocks, so call it only when the process
   * exits.
   */
  flush(): void {
    const deadline = performance.now() + FLUSH_MS;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (this.#writeWaiting() === 'EAGAIN' && performance.now() < deadline) {
      Atomics.wait(pause, 0, 0, 10);
    }
  }

  /** Returns the code of the error that stopped the writing, or null if no line is left waiting. */
  #writeWaiting(): string | null {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined) {
        if (!this.#reportDropped()) return null;
        continue;
      }
      try {
        const written = this.#write(next);
        this.#bytes -= written;
        if (written === next.length) this.#waiting.shift();
        else this.#waiting[0] = next.subarray(written);
      } catch (error) {
        this.#retry = setTimeout(() => this.#writeWaiting(), RETRY_MS).unref();
        return (error as NodeJS.ErrnoException).code ?? 'unknown';
      }
    }
  }

  /** Written where the dropped lines would have been. */
  #reportDropped(): boolean {
    if (this.#dropped === 0) return false;
    const msg = 'Log lines were dropped because they could not be written';
    const line = { level: 40, time: Date.now(), dropped: this.#dropped, msg };
    this.#dropped = 0;
    this.#add(Buffer.from(`${JSON.stringify(line)}\n`));
    return true;
  }

  #add(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }
}
