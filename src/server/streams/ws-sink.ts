import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { LogEvent } from '../../contract/event.ts';
import { eventText } from './frames.ts';
import type { StreamLimits } from './open-streams.ts';
import type { EndReason, Sink } from './sink.ts';

/** Roughly how much is written at a time. */
const PIECE_BYTES = 64 * 1024;
/**
 * How many frames a client may send between two of our pings; a page sends a few. Each costs time.
 */
const FRAMES_MAX = 100;
const PING = JSON.stringify({ type: 'ping' });
const PONG = JSON.stringify({ type: 'pong' });

/** Close codes from RFC 6455 and its registry. Codes from 1012 on ask the client to reconnect. */
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
const CODES: Record<EndReason, number> = {
  done: 1000,
  gone: 1000,
  left: 1001,
  refused: POLICY_VIOLATION,
  restart: 1012,
  dropped: 1013,
};

/** Sends events over a WebSocket, each in its own text frame. */
export class WsSink implements Sink {
  readonly kind = 'ws';
  /** The underlying connection, which reports when there is room. */
  readonly out: Duplex;
  readonly #ws: WebSocket;
  /**
   * After this many unanswered pings, the reader is considered gone. A time limit would not work,
   * because time also passes while we are busy.
   */
  readonly #maxUnanswered: number;
  readonly #endMs: number;
  readonly #textPings: boolean;
  #unanswered = 0;
  #frames = 0;
  #refused = false;

  /** `textPings`: for pages, which cannot see the protocol's own pings. */
  constructor(ws: WebSocket, socket: Duplex, limits: StreamLimits, textPings = false) {
    this.#ws = ws;
    this.out = socket;
    this.#maxUnanswered = Math.max(1, Math.ceil(limits.stallMs / limits.pingMs));
    this.#endMs = limits.endMs;
    this.#textPings = textPings;
    ws.on('error', () => {});
    ws.on('pong', () => this.#count());
    ws.on('ping', (data) => {
      if (this.#count() && !this.full && ws.readyState === ws.OPEN) ws.pong(data);
    });
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary));
  }

  get closed(): boolean {
    return this.#ws.readyState === this.#ws.CLOSED || this.out.destroyed;
  }

  get full(): boolean {
    return this.out.writableNeedDrain;
  }

  write(events: readonly LogEvent[], start: number): number {
    let i = start;
    let bytes = 0;
    // Write everything in one system call.
    this.out.cork();
    while (i < events.length && bytes < PIECE_BYTES) {
      const text = eventText(events[i++] as LogEvent);
      bytes += text.length;
      this.#ws.send(text, { binary: false });
    }
    this.out.uncork();
    return i - start;
  }

  writeHint(json: string): void {
    this.#ws.send(json);
  }

  ping(): void {
    this.#frames = 0;
    if (this.#unanswered >= this.#maxUnanswered) this.destroy();
    else if (!this.full && this.#ws.readyState === this.#ws.OPEN) {
      this.#unanswered++;
      this.#ws.ping();
      if (this.#textPings) this.#ws.send(PING);
    }
  }

  end(reason: EndReason, after: number): void {
    const resume = reason === 'restart' || reason === 'dropped';
    this.#ws.close(CODES[reason], resume ? `${reason}, resume after ${after}` : reason);
  }

  destroy(): void {
    this.#ws.terminate();
  }

  /** Records that the reader is alive. Returns false if it has sent so much that it was dropped. */
  #count(): boolean {
    this.#unanswered = 0;
    if (++this.#frames > FRAMES_MAX) this.destroy();
    return this.#frames <= FRAMES_MAX;
  }

  /** Clients may send only `{"type":"ping"}`. */
  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#count() || this.#refused) return;
    if (isBinary) this.#refuse(UNSUPPORTED_DATA, 'text only');
    else if (!isPing(String(data))) this.#refuse(POLICY_VIOLATION, 'only {"type":"ping"}');
    // A client that pings but does not read gets no more responses than fit in the buffer.
    else if (!this.full) this.#ws.send(PONG);
  }

  #refuse(code: number, reason: string): void {
    // Later messages are only counted.
    this.#refused = true;
    this.#ws.close(code, reason);
    setTimeout(() => this.destroy(), this.#endMs).unref();
  }
}

function isPing(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.keys(value).length === 1 &&
      (value as { type?: unknown }).type === 'ping'
    );
  } catch {
    return false;
  }
}
