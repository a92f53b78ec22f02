import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LogEvent } from '../../contract/event.ts';
import { eventPiece } from './frames.ts';
import type { StreamLimits } from './open-streams.ts';
import type { EndReason, Sink } from './sink.ts';

const PING = Buffer.from(': ping\n\n');

export const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  // `no-transform` keeps proxies from compressing events and thus delaying them.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Server-sent events on a response that nothing else writes to. */
export class SseSink implements Sink {
  readonly kind = 'sse';
  readonly out: ServerResponse<IncomingMessage>;
  readonly #retry: string;

  constructor(response: ServerResponse<IncomingMessage>, { retryMs }: StreamLimits) {
    this.out = response;
    this.#retry = `retry: ${retryMs}\n`;
    // `close` reports that the reader has left; the reason does not matter.
    response.on('error', () => {});
  }

  /** Sends the headers at once, followed by a few bytes for proxies that wait for a body. */
  begin(headers: Record<string, number | string | string[] | undefined>): void {
    this.out.socket?.setNoDelay(true);
    // Headers passed only to writeHead cannot be read later, and the request log needs this header.
    this.out.setHeader('content-type', SSE_HEADERS['content-type']);
    this.out.writeHead(200, { ...headers, ...SSE_HEADERS });
    this.out.write(`${this.#retry}\n`);
  }

  get closed(): boolean {
    return this.out.destroyed || this.out.writableFinished;
  }

  get full(): boolean {
    return this.out.writableNeedDrain;
  }

  write(events: readonly LogEvent[], start: number): number {
    const piece = eventPiece(events, start);
    this.out.write(piece.bytes);
    return piece.count;
  }

  writeHint(json: string): void {
    this.out.write(`event: hint\ndata: ${json}\n\n`);
  }

  ping(): void {
    if (!this.full) this.out.write(PING);
  }

  end(reason: EndReason, after: number): void {
    if (reason === 'dropped' || reason === 'restart') {
      this.out.end(`${this.#retry}: ${reason}, resume after ${after}\n\n`);
    } else if (reason === 'gone' || reason === 'refused') {
      this.out.end(`: ${reason}\n\n`);
    } else {
      this.out.end();
    }
  }

  destroy(): void {
    this.out.destroy();
  }
}
