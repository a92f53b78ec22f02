import type { EventEmitter } from 'node:events';
import type { LogEvent } from '../../contract/event.ts';

export type StreamKind = 'sse' | 'ws';

/** Why a stream ends, as it is told to its reader. */
export type EndReason =
  /** The run it shows has ended, and its `done` was sent. */
  | 'done'
  /** The session or the run was removed. */
  | 'gone'
  /** The reader did not keep up (E4). */
  | 'dropped'
  /** The reader may not read it any more. */
  | 'refused'
  /** The server stops. */
  | 'restart'
  /** The reader went away; there is nobody to tell. */
  | 'left';

/** What a reader is sent to, whatever the protocol. */
export interface Sink {
  readonly kind: StreamKind;
  /** Tells `drain` and `close`. */
  readonly out: EventEmitter;
  /** Its reader is gone. */
  readonly closed: boolean;
  /** No more should be written before `drain`. */
  readonly full: boolean;
  /** Writes some of the events from `start` on, at least one; answers how many. */
  write(events: readonly LogEvent[], start: number): number;
  /** Writes a hint, given as JSON (E9). */
  writeHint(json: string): void;
  /** Called every `pingMs`. */
  ping(): void;
  /** Tells its reader why, and after which seq to go on, and ends. */
  end(reason: EndReason, after: number): void;
  /** Lets go at once. */
  destroy(): void;
}
