import { createParser } from 'eventsource-parser';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import { TOKEN } from '../support/server-rig.ts';

/**
 * A plain reader of an event stream that reconnects with its `Last-Event-ID` whenever it was cut off,
 * by itself or by the server. It keeps everything it received, in order.
 */
export class EventReader {
  readonly events: SessionEvent[] = [];
  connects = 0;
  readonly ended: Promise<void>;
  readonly #url: string;
  readonly #stop = new AbortController();
  #cut = new AbortController();

  constructor(url: string, isLast: (event: SessionEvent) => boolean = () => false) {
    this.#url = url;
    this.ended = this.#follow(isLast);
  }

  /** Breaks the connection; the reader reconnects by itself. */
  cut(): void {
    this.#cut.abort();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async #follow(isLast: (event: SessionEvent) => boolean): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#cut = new AbortController();
      const signal = AbortSignal.any([this.#cut.signal, this.#stop.signal]);
      // Whatever broke, it reconnects until it has seen the last event.
      if (await this.#read(signal, isLast).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #read(signal: AbortSignal, isLast: (event: SessionEvent) => boolean): Promise<boolean> {
    const last = this.events.at(-1)?.seq;
    const answer = await fetch(this.#url, {
      signal,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(last === undefined ? {} : { 'last-event-id': String(last) }),
      },
    });
    if (!answer.ok || answer.body === null) throw new Error(`status ${answer.status}`);
    this.connects++;
    let over = false;
    const parser = createParser({
      onEvent: ({ data }) => {
        const event = JSON.parse(data) as SessionEvent;
        if (!over) this.events.push(event);
        over ||= isLast(event);
      },
    });
    const decoder = new TextDecoder();
    for await (const piece of answer.body) {
      parser.feed(decoder.decode(piece, { stream: true }));
      if (over) return true;
    }
    return false;
  }
}
