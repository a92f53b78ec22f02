import { createParser } from 'eventsource-parser';
import { WebSocket } from 'ws';
import { seeded } from '../../test/support/seeded.ts';
import { digestOf } from '../setup.ts';
import type { Seen } from './check/evidence.ts';

interface WireEvent {
  readonly seq: number;
  readonly sessionId: string;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly type: string;
  readonly payload: unknown;
  readonly at: string;
}

export interface ReaderOptions {
  readonly session: string;
  /** Follows only this run of the session, until it ends. */
  readonly run?: string;
  readonly kind: 'sse' | 'ws';
  readonly urls: readonly string[];
  readonly token: string;
  readonly seed: number;
}

/**
 * Follows the log of a session on either server. Whenever it disconnects, or a fault or the server
 * disconnects it, it reconnects after the last seq it saw.
 */
export class Reader {
  readonly session: string;
  readonly run: string | null;
  readonly seen: Seen[] = [];
  readonly errors: string[] = [];
  connects = 0;
  /** The stream of a single run has ended. */
  over = false;
  readonly #options: ReaderOptions;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  #cut = new AbortController();
  #cutting: NodeJS.Timeout | undefined;
  #calm = false;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: ReaderOptions) {
    this.session = options.session;
    this.run = options.run ?? null;
    this.#options = options;
    this.#random = seeded(options.seed);
  }

  get last(): number {
    return this.seen.at(-1)?.seq ?? 0;
  }

  start(): this {
    this.#ended = this.#follow();
    return this;
  }

  /** From now on, it no longer disconnects on purpose. */
  calm(): void {
    this.#calm = true;
    clearTimeout(this.#cutting);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#cutting);
    await this.#ended;
  }

  async #follow(): Promise<void> {
    const { urls, kind } = this.#options;
    while (!this.#stop.signal.aborted && !this.over) {
      this.#cut = new AbortController();
      const cut = this.#cut;
      const random = this.#random;
      clearTimeout(this.#cutting);
      if (!this.#calm) this.#cutting = setTimeout(() => cut.abort(), 200 + random() ** 2 * 5000);
      const url = urls[Math.floor(random() * urls.length)]!;
      const signal = AbortSignal.any([cut.signal, this.#stop.signal]);
      const read = kind === 'sse' ? this.#readSse(url, signal) : this.#readWs(url, signal);
      // Reconnects after any error.
      await read.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 200));
    }
  }

  async #readSse(url: string, signal: AbortSignal): Promise<void> {
    const { session, run, token } = this.#options;
    const log = run === undefined ? `sessions/${session}` : `runs/${run}`;
    const answer = await fetch(`${url}/api/v1/${log}/events`, {
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(this.last === 0 ? {} : { 'last-event-id': String(this.last) }),
      },
    });
    // 204: everything was seen before.
    this.over ||= answer.status === 204;
    if (answer.status === 204) return;
    if (answer.status !== 200 || answer.body === null) {
      this.#refused(answer.status, await answer.text());
      return;
    }
    this.connects++;
    const parser = createParser({
      onEvent: ({ id, event, data }) => this.#take(JSON.parse(data), id, event),
    });
    const decoder = new TextDecoder();
    for await (const piece of answer.body) parser.feed(decoder.decode(piece, { stream: true }));
  }

  #readWs(url: string, signal: AbortSignal): Promise<void> {
    const { session, token } = this.#options;
    const socket = new WebSocket(
      `${url.replace(/^http/, 'ws')}/ws/sessions/${session}?after=${this.last}`,
      { headers: { authorization: `Bearer ${token}` } },
    );
    return new Promise((resolve) => {
      const end = (): void => socket.terminate();
      signal.addEventListener('abort', end, { once: true });
      socket.on('error', () => {});
      socket.on('open', () => this.connects++);
      socket.on('unexpected-response', (_, answer) => {
        this.#refused(answer.statusCode ?? 0, '');
        socket.terminate();
        resolve();
      });
      socket.on('message', (data) => {
        // Ignore the rest of an abandoned connection.
        if (!signal.aborted) this.#take(JSON.parse(String(data)));
      });
      socket.on('close', () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
    });
  }

  #take(event: WireEvent, id?: string, name?: string): void {
    const { seq, sessionId, runId, attempt, type, payload, at } = event;
    if (id !== undefined && (id !== String(seq) || name !== type || sessionId !== this.session)) {
      this.errors.push(`id ${id} and event ${name} stand over ${JSON.stringify(event)}`);
    }
    this.over ||= this.run !== null && type === 'done';
    const digest = digestOf([seq, runId, attempt, type, payload, Date.parse(at)]);
    this.seen.push({ seq, type, digest });
  }

  #refused(status: number, text: string): void {
    if (status === 503 || this.#stop.signal.aborted) return;
    this.errors.push(`a reader of ${this.session} after ${this.last}: ${status} ${text}`);
  }
}
