import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LogEvent } from '../../contract/event.ts';
import { eventPiece } from './frames.ts';
import type { EndReason, Sink } from './sink.ts';

/** When a browser tries again after a stream broke; and sooner if we sent it away. */
const RETRY_MS = 2000;
const RETRY_SOON_MS = 1000;
const PING = Buffer.from(': ping\n\n');

export const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  // `no-transform` keeps proxies from compressing, and so from holding back.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** Server-sent events on a response nobody else writes to. */
export class SseSink implements Sink {
  readonly kind = 'sse';
  readonly out: ServerResponse<IncomingMessage>;

  constructor(response: ServerResponse<IncomingMessage>) {
    this.out = response;
    // A reader that goes away is told by `close`; how it went is of no interest.
    response.on('error', () => {});
  }

  /** Headers go out at once, with something behind them for proxies that wait for a body. */
  begin(headers: Record<string, number | string | string[] | undefined>): void {
    this.out.socket?.setNoDelay(true);
    this.out.writeHead(200, { ...headers, ...SSE_HEADERS });
    this.out.write(`retry: ${RETRY_MS}\n\n`);
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

  writeText(text: string): void {
    this.out.write(text);
  }

  ping(): void {
    if (!this.full) this.out.write(PING);
  }

  end(reason: EndReason, after: number): void {
    if (reason === 'dropped' || reason === 'restart') {
      this.out.end(`retry: ${RETRY_SOON_MS}\n: ${reason}, resume after ${after}\n\n`);
    } else if (reason === 'gone') {
      this.out.end(': gone\n\n');
    } else {
      this.out.end();
    }
  }

  destroy(): void {
    this.out.destroy();
  }
}
