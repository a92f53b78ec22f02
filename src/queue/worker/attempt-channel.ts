import { BatonError } from '../../contract/errors.ts';
import type { NewEvent } from '../../contract/event.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Ending } from '../machine/lane-machine.ts';
import type { AttemptWrite } from '../store.ts';

/** Once a write reaches this size, no more events are added to it. */
const WRITE_BYTES = 1024 * 1024;
/** Estimated size of a write without its payloads. */
const OVERHEAD = 100;

/** The order in which the store applies the parts of one write. */
const STAGE = { start: 0, event: 1, commit: 2, ask: 3, end: 4 } as const;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A write that has no response yet, and its waiters. */
export interface Entry {
  readonly channel: Channel;
  readonly write: Mutable<AttemptWrite> & { events?: NewEvent[] };
  stage: number;
  bytes: number;
  waiters: PromiseWithResolvers<void>[] | null;
  answered: boolean;
}

/** The rejection of a write whose fence is outdated. */
export class LostError extends Error {
  override readonly name = 'LostError';
}

/** Where channels put their entries (attempt-writer.ts). */
export interface Sink {
  /**
   * The number of unwritten bytes at which attempts should wait; a single attempt may have at most
   * twice as many.
   */
  readonly bufferBytes: number;
  /** False once the sink has stopped writing. */
  readonly accepting: boolean;
  added(channel: Channel, bytes: number): void;
}

/** Handlers need not await their writes, because their signal also reports a loss. */
function optional(stored: Promise<void>): Promise<void> {
  stored.catch(() => {});
  return stored;
}

/** One attempt's access to the writer: keeps its writes in order and merges them. */
export class Channel {
  readonly lane: string;
  readonly fence: number;
  /** Entries not yet sent, in order. */
  readonly queue: Entry[] = [];
  bytes = 0;
  writes = 0;
  /** The attempt's start has been stored. */
  started = false;
  closed = false;
  readonly onLost: () => void;
  readonly #sink: Sink;

  constructor(sink: Sink, lane: string, fence: number, onLost: () => void) {
    this.#sink = sink;
    this.lane = lane;
    this.fence = fence;
    this.onLost = onLost;
  }

  get #open(): boolean {
    return !this.closed && this.#sink.accepting;
  }

  /** Not awaited: the next write reports an outdated fence. */
  start(): void {
    if (this.#open) this.#entry(STAGE.start, OVERHEAD).write.start = true;
  }

  event(event: NewEvent, bytes: number): Promise<void> {
    if (this.bytes + bytes > 2 * this.#sink.bufferBytes) {
      // Thrown synchronously, because a handler that does not await would never see a rejection.
      throw new BatonError('payload_too_large', 'Too many unwritten events; await emit().');
    }
    const stored = this.#add(STAGE.event, bytes, (write) => {
      write.events ??= [];
      write.events.push(event);
    });
    return optional(stored);
  }

  commit(outcome: Outcome, bytes: number): Promise<void> {
    const stored = this.#add(STAGE.commit, bytes, (write) => {
      write.commit = outcome;
    });
    return optional(stored);
  }

  ask(): Promise<void> {
    const stored = this.#add(STAGE.ask, 0, (write) => {
      write.ask = true;
    });
    return optional(stored);
  }

  /** The only write that must be awaited. */
  end(ending: Ending, bytes: number): Promise<void> {
    return this.#add(STAGE.end, bytes, (write) => {
      write.end = ending;
    });
  }

  /** Resolves when stored; rejects with LostError if the fence is outdated. */
  #add(stage: number, bytes: number, put: (write: Entry['write']) => void): Promise<void> {
    const waiter = Promise.withResolvers<void>();
    if (!this.#open) {
      waiter.reject(new LostError('the attempt is over or lost'));
      return waiter.promise;
    }
    const entry = this.#entry(stage, bytes + OVERHEAD);
    put(entry.write);
    if (entry.waiters === null) entry.waiters = [waiter];
    else entry.waiters.push(waiter);
    return waiter.promise;
  }

  /** The last entry if the new part can be applied after its other parts; otherwise a new entry. */
  #entry(stage: number, bytes: number): Entry {
    let entry = this.queue.at(-1);
    const full = stage === STAGE.event && entry !== undefined && entry.bytes + bytes > WRITE_BYTES;
    if (entry === undefined || entry.stage > stage || full) {
      const write = { lane: this.lane, fence: this.fence };
      entry = { channel: this, write, stage, bytes: 0, waiters: null, answered: false };
      this.queue.push(entry);
    }
    entry.stage = stage;
    entry.bytes += bytes;
    this.#sink.added(this, bytes);
    return entry;
  }
}
