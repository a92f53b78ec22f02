import type { LogEvent } from '../../contract/event.ts';
import { typeOf } from '../../contract/events/type-of.ts';
import { Signal } from './signal.ts';
import type { Sized } from './sized.ts';

const COMPACT_AT = 1000;

export interface TailLimits {
  /** A reader that takes no events for this long is dropped. */
  readonly stallMs: number;
  /** A reader with more unread bytes than this is dropped. */
  readonly unreadBytes: number;
}

export type TailEndReason =
  /** The followed run has ended, and its `done` has been delivered. */
  | 'done'
  /** The reader stopped it. */
  | 'stopped'
  /** The queue was closed. */
  | 'closed'
  /** The lane or run was removed; a new lane with the same name starts again at seq 1. */
  | 'gone'
  /** Dropped because the reader took no events for too long. */
  | 'stalled'
  /** Dropped because the reader had too many unread events. */
  | 'unread';

export interface TailEnd {
  readonly reason: TailEndReason;
  /** True if the reader did not keep up; a new tail from `after` continues without loss. */
  readonly dropped: boolean;
  /** The last seq that was delivered, or where the tail began. */
  readonly after: number;
}

/**
 * The events of a lane, in order and exactly once. Iterate with `for await`, or call `take()` for
 * everything that has arrived. The loop also ends when the tail is dropped (E4), so check `end`
 * afterwards. Tails of a lane share their events: do not modify them.
 */
export class Tail implements AsyncIterableIterator<LogEvent, TailEnd, void> {
  readonly lane: string;
  readonly runId: string | null;
  readonly reader: string;
  readonly #limits: TailLimits;
  readonly #onEnd: (tail: Tail) => void;
  readonly #changed = new Signal();
  readonly #taking = new Signal();
  #unread: Sized[] = [];
  /** How many of `#unread` have been taken. */
  #taken = 0;
  #bytes = 0;
  /** The reader has taken events and has not asked for more. */
  #isBusy = false;
  /**
   * When the reader last took an event, or when the first unread event arrived if that was later.
   */
  #since = 0;
  #after: number;
  #position: number;
  /** Set immediately; the reader sees the end once it has taken the events before it. */
  #reason: TailEndReason | null = null;

  constructor(
    lane: string,
    from: { after: number; runId: string | null; reader: string },
    limits: TailLimits,
    onEnd: (tail: Tail) => void,
  ) {
    this.lane = lane;
    this.runId = from.runId;
    this.reader = from.reader;
    this.#after = from.after;
    this.#position = from.after;
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** How the tail ended; null while there may be more events. */
  get end(): TailEnd | null {
    if (this.#reason === null || this.#unread.length > 0) return null;
    const dropped = this.#reason === 'stalled' || this.#reason === 'unread';
    return { reason: this.#reason, dropped, after: this.#after };
  }

  async next(): Promise<IteratorResult<LogEvent, TailEnd>> {
    this.#readerReturned();
    for (;;) {
      const event = this.#takeOne();
      if (event !== undefined) return { done: false, value: event };
      if (this.end !== null) return { done: true, value: this.end };
      await this.#changed.wait();
    }
  }

  /** All events that arrived since the last call, at least one; null at the end. */
  async take(): Promise<LogEvent[] | null> {
    this.#readerReturned();
    for (;;) {
      const events: LogEvent[] = [];
      for (let one = this.#takeOne(); one !== undefined; one = this.#takeOne()) events.push(one);
      if (events.length > 0) return events;
      if (this.end !== null) return null;
      await this.#changed.wait();
    }
  }

  /** Stops the tail, even while another call waits for an event. */
  async return(): Promise<IteratorReturnResult<TailEnd>> {
    this.cut('stopped');
    return { done: true, value: this.end as TailEnd };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /* The members below are for the follower, which delivers the events. */

  get open(): boolean {
    return this.#reason === null;
  }

  /** The tail has received all its events up to this seq. */
  get position(): number {
    return this.#position;
  }

  get unreadBytes(): number {
    return this.#bytes;
  }

  /**
   * Resolves when the reader has taken everything and asks for more, or has stopped. A reader still
   * holds a page while it is sending what it took.
   */
  async drained(): Promise<void> {
    while (this.open && (this.#unread.length > 0 || this.#isBusy)) await this.#taking.wait();
  }

  /**
   * Delivers a page with all events of the lane up to `head`. A reader with nothing unread gets the
   * whole page, however large: a reader that keeps up is not dropped because of a burst.
   */
  offer(page: readonly Sized[], head: number): void {
    if (!this.open) return;
    const before = this.#unread.length;
    for (const one of page) {
      const { seq, runId } = one.event;
      if (seq <= this.#position) continue;
      if (this.runId !== null && runId !== this.runId) continue;
      if (before > 0 && this.#bytes + one.bytes > this.#limits.unreadBytes) {
        this.cut('unread');
        return;
      }
      if (this.#unread.length === 0) this.#since = performance.now();
      this.#unread.push(one);
      this.#bytes += one.bytes;
      if (this.runId !== null && typeOf(one.event) === 'done') this.finish('done');
    }
    this.#position = Math.max(this.#position, head);
    if (this.#unread.length > before) this.#changed.fire();
  }

  dropIfStalled(now: number): void {
    if (this.#unread.length > 0 && now - this.#since > this.#limits.stallMs) this.cut('stalled');
  }

  /** Ends the tail; the reader can still take unread events. */
  finish(reason: TailEndReason): void {
    if (!this.open) return;
    this.#reason = reason;
    this.#onEnd(this);
    this.#changed.fire();
    this.#taking.fire();
  }

  /** Ends the tail and discards unread events. */
  cut(reason: TailEndReason): void {
    // The tail had already ended, but now its reader will not see all of its events.
    if (this.#reason !== null && this.#unread.length > 0) this.#reason = reason;
    this.#unread = [];
    this.#taken = 0;
    this.#bytes = 0;
    this.finish(reason);
  }

  #readerReturned(): void {
    this.#isBusy = false;
    if (this.#unread.length === 0) this.#taking.fire();
  }

  #takeOne(): LogEvent | undefined {
    const one = this.#unread[this.#taken];
    if (one === undefined) return undefined;
    this.#isBusy = true;
    this.#taken++;
    this.#bytes -= one.bytes;
    this.#after = one.event.seq;
    this.#since = performance.now();
    if (this.#taken === this.#unread.length) {
      this.#unread = [];
      this.#taken = 0;
    } else if (this.#taken === COMPACT_AT) {
      // A reader that is always slightly behind must not keep events in memory after taking them.
      this.#unread = this.#unread.slice(COMPACT_AT);
      this.#taken = 0;
    }
    return one.event;
  }
}
