import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { BatonError, isBatonError } from '../contract/errors.ts';
import { asUnreachable } from './request.ts';

export interface StreamOptions {
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
  /** Called for every connection, and with the reason whenever one is lost. */
  readonly onState?: (state: 'connected' | 'reconnecting', error?: BatonError) => void;
  /** A connection that receives nothing for this long, not even a ping, is closed. */
  readonly silenceMs?: number;
  readonly random?: () => number;
}

const SILENCE_MS = 45_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/** Opens the stream at the reader's current position. */
export type Open = (signal: AbortSignal) => Promise<Response>;

/**
 * The messages of a stream, over as many connections as it takes; an empty batch means a new
 * connection. Ends when the signal is aborted, or when the server says that there will be no more.
 * Throws errors that another attempt would not fix.
 */
export async function* listen(
  url: string,
  open: Open,
  options: StreamOptions,
): AsyncGenerator<readonly EventSourceMessage[], void, void> {
  const { signal, onState, silenceMs = SILENCE_MS, random = Math.random } = options;
  let retryMs = 0;
  let failures = 0;
  const stopped = (): boolean => signal?.aborted === true;
  while (!stopped()) {
    const connection = new Connection(signal, silenceMs);
    let lost: unknown = null;
    try {
      const response = await connection.wait(open(connection.signal));
      if (response.status === 204) return;
      if (!isEventStream(response)) throw new BatonError('bad_answer');
      onState?.('connected');
      yield [];
      for await (const messages of connection.read(response, (ms) => (retryMs = ms))) {
        failures = 0;
        yield messages;
      }
    } catch (error) {
      if (stopped()) return;
      lost = asUnreachable(error, url);
      if (!isRetryable(lost)) throw lost;
    } finally {
      connection.close();
    }
    const base = Math.max(retryMs, Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures));
    failures = Math.min(failures + 1, 20);
    onState?.('reconnecting', isBatonError(lost) ? lost : undefined);
    await pause(base * (1 + random() / 2), signal);
  }
}

/** A proxy may have answered with its own sign-in page. */
const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

/** The server or its database is unavailable or overloaded, so trying again may help. */
const isRetryable = (error: unknown): boolean =>
  isBatonError(error) &&
  error.code !== 'bad_answer' &&
  (error.status >= 500 || error.status === 429 || error.status === 408);

/** One connection, which is closed when it is silent for too long. */
class Connection {
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

  /** Only waiting for the server counts as silence, not a slow reader. */
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

  async *read(
    response: Response,
    onRetry: (ms: number) => void,
  ): AsyncGenerator<readonly EventSourceMessage[], void, void> {
    if (response.body === null) return;
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let messages: EventSourceMessage[] = [];
    const parser = createParser({ onRetry, onEvent: (message) => messages.push(message) });
    for (;;) {
      const { done, value } = await this.wait(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (messages.length === 0) continue;
      yield messages;
      messages = [];
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
