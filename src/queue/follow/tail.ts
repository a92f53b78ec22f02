import type { LogEvent } from '../../contract/event.ts';
import { Signal } from './signal.ts';
import type { Sized } from './sized.ts';

const COMPACT_AT = 1000;

export interface TailLimits {
  /** A reader that leaves events lying for so long is dropped. */
  readonly stallMs: number;
  /** So many bytes may lie unread before a reader is dropped. */
  readonly unreadBytes: number;
}

export type TailEndReason =
  /** The run it follows has ended, and its `done` was handed out. */
  | 'done'
  /** Its reader stopped it. */
  | 'stopped'
  /** The queue was closed. */
  | 'closed'
  /** The lane or the run was removed; a lane of the same name begins again at seq 1. */
  | 'gone'
  /** Dropped: its reader took nothing for too long. */
  | 'stalled'
  /** Dropped: too much lay unread. */
  | 'unread';

export interface TailEnd {
  readonly reason: TailEndReason;
  /** True if it did not keep up; a new tail after this seq goes on without loss. */
  readonly dropped: boolean;
  /** The last seq that was handed out, or where the tail began. */
  readonly after: number;
}

/**
 * The events of a lane, in order and each once: `for await`, or `take()` for all that has come. The
 * loop also ends when the tail is dropped (E4), so look at `end` behind it. Tails of a lane share
 * their events: do not change them.
 */
export class Tail implements AsyncIterableIterator<LogEvent, TailEnd, void> {
  readonly lane: string;
  readonly runId: string | null;
  readonly #limits: TailLimits;
  readonly #onEnd: (tail: Tail) => void;
  readonly #changed = new Signal();
  readonly #taking = new Signal();
  #unread: Sized[] = [];
  /** Of `#unread`, so many were taken. */
  #taken = 0;
  #bytes = 0;
  /** Its reader was handed events and has not asked for more. */
  #isBusy = false;
  /** Since when its reader has left events lying. */
  #since = 0;
  #after: number;
  #position: number;
  /** Set at once; the reader sees the end when it has taken what came before. */
  #reason: TailEndReason | null = null;

  constructor(
    lane: string,
    from: { after: number; runId: string | null },
    limits: TailLimits,
    onEnd: (tail: Tail) => void,
  ) {
    this.lane = lane;
    this.runId = from.runId;
    this.#after = from.after;
    this.#position = from.after;
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  /** How it ended; null while events may still come. */
  get end(): TailEnd | null {
    if (this.#reason === null || this.#unread.length > 0) return null;
    const dropped = this.#reason === 'stalled' || this.#reason === 'unread';
    return { reason: this.#reason, dropped, after: this.#after };
  }

  async next(): Promise<IteratorResult<LogEvent, TailEnd>> {
    this.#comeBack();
    for (;;) {
      const event = this.#takeOne();
      if (event !== undefined) return { done: false, value: event };
      if (this.end !== null) return { done: true, value: this.end };
      await this.#changed.wait();
    }
  }

  /** All that has come since the last call, at least one event; null at the end. */
  async take(): Promise<LogEvent[] | null> {
    this.#comeBack();
    for (;;) {
      const events: LogEvent[] = [];
      for (let one = this.#takeOne(); one !== undefined; one = this.#takeOne()) events.push(one);
      if (events.length > 0) return events;
      if (this.end !== null) return null;
      await this.#changed.wait();
    }
  }

  /** Ends it for its reader, also while another call waits for an event. */
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

  /* The rest is for the follower, which brings the events. */

  get open(): boolean {
    return this.#reason === null;
  }

  /** Up to this seq it has all it is to get. */
  get position(): number {
    return this.#position;
  }

  get unreadBytes(): number {
    return this.#bytes;
  }

  /**
   * Resolves when its reader has taken everything and asks for more, or nobody reads any more. One
   * that still sends what it has taken holds a page already.
   */
  async drained(): Promise<void> {
    while (this.open && (this.#unread.length > 0 || this.#isBusy)) await this.#taking.wait();
  }

  /**
   * Brings a page of the lane, with all of its events up to `head`. A page is taken whole by a reader
   * that has nothing unread, however large it is: one who keeps up is not dropped for a burst.
   */
  offer(page: readonly Sized[], head: number): void {
    if (!this.open) return;
    const before = this.#unread.length;
    for (const one of page) {
      const { seq, runId, type } = one.event;
      if (seq <= this.#position) continue;
      if (this.runId !== null && runId !== this.runId) continue;
      if (before > 0 && this.#bytes + one.bytes > this.#limits.unreadBytes) {
        this.cut('unread');
        return;
      }
      if (this.#unread.length === 0) this.#since = performance.now();
      this.#unread.push(one);
      this.#bytes += one.bytes;
      if (this.runId !== null && type === 'done') this.finish('done');
    }
    this.#position = Math.max(this.#position, head);
    if (this.#unread.length > before) this.#changed.fire();
  }

  dropIfStalled(now: number): void {
    if (this.#unread.length > 0 && now - this.#since > this.#limits.stallMs) this.cut('stalled');
  }

  /** No event follows; those it has are still to be taken. */
  finish(reason: TailEndReason): void {
    if (!this.open) return;
    this.#reason = reason;
    this.#onEnd(this);
    this.#changed.fire();
    this.#taking.fire();
  }

  /** Ends here: what is unread is let go. */
  cut(reason: TailEndReason): void {
    // It had ended, but its reader will not see all of it.
    if (this.#reason !== null && this.#unread.length > 0) this.#reason = reason;
    this.#unread = [];
    this.#taken = 0;
    this.#bytes = 0;
    this.finish(reason);
  }

  #comeBack(): void {
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
      // A reader that is always a little behind must not keep what it has taken.
      this.#unread = this.#unread.slice(COMPACT_AT);
      this.#taken = 0;
    }
    return one.event;
  }
}
