import { once } from 'node:events';
import { WebSocket } from 'ws';
import { SessionEvent } from '../../src/contract/session-event.ts';
import { until } from './until.ts';

/** Records what a WebSocket receives: events, other frames, and how it was closed. */
export class WsReader {
  readonly socket: WebSocket;
  readonly events: SessionEvent[] = [];
  readonly others: unknown[] = [];
  pings = 0;
  /** Code and reason, once it is closed. */
  closed: readonly [code: number, reason: string] | null = null;

  constructor(url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url.replace(/^http/, 'ws'), { headers });
    this.socket.on('error', () => {});
    this.socket.on('ping', () => this.pings++);
    this.socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    this.socket.on('close', (code, reason) => {
      this.closed = [code, String(reason)];
    });
  }

  get seqs(): number[] {
    return this.events.map(({ seq }) => seq);
  }

  async open(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  async end(): Promise<readonly [code: number, reason: string]> {
    await until(() => this.closed !== null);
    return this.closed as readonly [number, string];
  }

  #take(value: unknown): void {
    const parsed = SessionEvent.safeParse(value);
    if (parsed.success) this.events.push(parsed.data);
    else this.others.push(value);
  }
}
