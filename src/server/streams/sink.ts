import type { EventEmitter } from 'node:events';
import type { LogEvent } from '../../contract/event.ts';

export type StreamKind = 'sse' | 'ws';

/** Why a stream ends, as reported to its reader. */
export type EndReason =
  /** The run that the stream shows has ended, and its `done` has been sent. */
  | 'done'
  /** The session or run was removed. */
  | 'gone'
  /** The reader did not keep up (E4). */
  | 'dropped'
  /** The reader has lost access. */
  | 'refused'
  /** The server is stopping. */
  | 'restart'
  /** The reader disconnected. */
  | 'left';

/** The connection to a reader, whatever the protocol. */
export interface Sink {
  readonly kind: StreamKind;
  /** Emits `drain` and `close`. */
  readonly out: EventEmitter;
  /** The reader is gone. */
  readonly closed: boolean;
  /** Nothing more should be written before `drain`. */
  readonly full: boolean;
  /** Writes at least one of the events from `start`; returns how many it wrote. */
  write(events: readonly LogEvent[], start: number): number;
  /** Writes a hint, given as JSON (E9). */
  writeHint(json: string): void;
  /** Called every `pingMs`. */
  ping(): void;
  /** Sends the reader why the stream ends and after which seq to resume, then ends it. */
  end(reason: EndReason, after: number): void;
  /** Closes the connection at once. */
  destroy(): void;
}
