import type { LogEvent } from '../../contract/event.ts';
import type { LogCursor } from '../store.ts';
import { advance, type Position } from './continuity.ts';
import { PageSize } from './page-size.ts';
import { bytesOf, type Sized, sized } from './sized.ts';
import type { Tail } from './tail.ts';

/**
 * New events beyond this size are not held for a tail that is catching up; it reads them from the
 * store instead.
 */
export const HELD_BYTES = 128 * 1024;

/** Events that arrived while a tail was reading stored events. */
export class Held {
  readonly events: Sized[] = [];
  bytes = 0;

  add(page: readonly Sized[]): void {
    this.bytes += bytesOf(page);
    if (this.bytes > HELD_BYTES) this.events.length = 0;
    else this.events.push(...page);
  }
}

/**
 * One followed lane: how far its log has been read, and which tails get new events. Each page is
 * read once and goes to all live tails. A tail that is still catching up is not live yet.
 */
export class LaneFeed {
  readonly lane: string;
  readonly tails = new Set<Tail>();
  readonly #live = new Set<Tail>();
  readonly #held = new Set<Held>();
  readonly #pages = new PageSize();
  readonly #begun = Promise.withResolvers<void>();
  #asked: Position & { readonly limit: number } = { head: 0, proven: 0, limit: 0 };
  /** Null until the lane's last seq is known. */
  head: number | null = null;
  #proven = 0;
  /** A hint arrived before `head` was known. */
  early = false;

  constructor(lane: string) {
    this.lane = lane;
  }

  /** Resolves when `head` is known. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  begin(last: number): void {
    this.head ??= last;
    this.#proven = Math.max(this.#proven, last);
    this.#begun.resolve();
  }

  /**
   * Records that the log reaches this seq. Returns true if the log has not been read that far yet.
   */
  reaches(last: number): boolean {
    this.#proven = Math.max(this.#proven, last);
    return this.head !== null && last > this.head;
  }

  /** The position for a read that begins now. */
  position(): Position {
    return { head: this.head ?? 0, proven: this.#proven };
  }

  /** The next read; pass its result to `accept`. */
  ask(): LogCursor {
    this.#asked = { ...this.position(), limit: this.#pages.limit };
    return { lane: this.lane, after: this.#asked.head, limit: this.#asked.limit };
  }

  /** Hands a page to the live tails. */
  accept(page: readonly LogEvent[]): { more: boolean; skipped: boolean } {
    const full = page.length >= this.#asked.limit;
    const { events, head, proven, more, skipped } = advance(this.#asked, page, full);
    const all = events.map(sized);
    this.#pages.saw(bytesOf(all), full);
    this.head = head;
    this.#proven = Math.max(this.#proven, proven);
    for (const tail of this.#live) tail.offer(all, head);
    for (const held of this.#held) held.add(all);
    return { more: more || this.#proven > head, skipped };
  }

  /** From now on, the tail gets new events. The tail must already have all events up to `head`. */
  join(tail: Tail): void {
    if (tail.open) this.#live.add(tail);
  }

  isLive(tail: Tail): boolean {
    return this.#live.has(tail);
  }

  /** False if the tail was not following this lane. */
  leave(tail: Tail): boolean {
    this.#live.delete(tail);
    return this.tails.delete(tail);
  }

  /** Starts holding new events for a tail that is about to read the events before them. */
  hold(): Held {
    const held = new Held();
    this.#held.add(held);
    return held;
  }

  release(held: Held): void {
    this.#held.delete(held);
  }
}
