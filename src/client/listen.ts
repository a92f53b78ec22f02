import { BatonError, isBatonError } from '../contract/errors.ts';
import { backoff, withJitter } from '../contract/functions/growing-wait.ts';
import { asUnreachable, type ClientOptions } from './request.ts';
import { sse } from './sse.ts';
import type { StreamRequest } from './transport.ts';

export interface StreamOptions {
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
  /** Called whenever a connection is made, and whenever one is lost, with the reason. */
  readonly onState?: (state: 'connected' | 'reconnecting', error?: BatonError) => void;
  /** A connection that receives nothing for this long, not even a ping, is closed. */
  readonly silenceMs?: number;
  readonly random?: () => number;
}

const SILENCE_MS = 45_000;
const RECONNECT = { firstMs: 100, capMs: 5000 };

/**
 * Yields the JSON texts of a stream in batches, and reconnects as often as necessary, from the
 * position that `next` returns. An empty batch means a new connection. Ends when the signal is
 * aborted, or when the server says that nothing more will come. Throws if another attempt would not
 * help.
 */
export async function* listen(
  client: ClientOptions,
  next: () => StreamRequest,
  options: StreamOptions,
): AsyncGenerator<readonly string[], void, void> {
  const { url, transport = sse(client) } = client;
  const { signal, onState, silenceMs = SILENCE_MS, random = Math.random } = options;
  let retryMs = 0;
  let failures = 0;
  const stopped = (): boolean => signal?.aborted === true;
  while (!stopped()) {
    const watch = new SilenceWatch(signal, silenceMs);
    let lost: unknown = null;
    try {
      const onRetry = (ms: number): void => {
        retryMs = ms;
      };
      const opened = await watch.wait(transport(next(), { signal: watch.signal, onRetry }));
      if (opened === null) return;
      onState?.('connected');
      yield [];
      const batches = opened[Symbol.asyncIterator]();
      for (;;) {
        const { done, value: texts } = await watch.wait(batches.next());
        if (done === true) break;
        if (texts.length === 0) continue;
        failures = 0;
        yield texts;
      }
    } catch (error) {
      if (stopped()) return;
      lost = asUnreachable(error, url);
      if (!isRetryable(lost)) throw lost;
    } finally {
      watch.close();
    }
    const waitMs = Math.max(retryMs, backoff(++failures, RECONNECT));
    onState?.('reconnecting', isBatonError(lost) ? lost : undefined);
    await pause(withJitter(waitMs, random), signal);
  }
}

/** The server or its database is unavailable or overloaded, so trying again may help. */
const isRetryable = (error: unknown): boolean =>
  isBatonError(error) &&
  error.code !== 'bad_answer' &&
  (error.status >= 500 || error.status === 429 || error.status === 408);

/** Closes a connection when it is silent for too long. */
class SilenceWatch {
  readonly #abort = new AbortController();
  readonly #silenceMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #stop = (): void => this.#abort.abort(this.#outer?.reason);

  constructor(outer: AbortSignal | undefined, silenceMs: number) {
    this.#outer = outer;
    this.#silenceMs = silenceMs;
    if (outer?.aborted === true) this.#stop();
    else outer?.addEventListener('abort', this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Only time spent waiting for the server counts as silence; a slow reader does not. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    const silent = new BatonError(
      'server_unreachable',
      `The server sent nothing for ${Math.round(this.#silenceMs / 1000)} s.`,
    );
    const timer = setTimeout(() => this.#abort.abort(silent), this.#silenceMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#outer?.removeEventListener('abort', this.#stop);
    this.#abort.abort();
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted === true) end();
  });
}
