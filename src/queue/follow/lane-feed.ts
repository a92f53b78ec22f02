import type { LogEvent } from '../../contract/event.ts';
import type { LogCursor } from '../store.ts';
import { advance, type Position } from './continuity.ts';
import { PageSize } from './page-size.ts';
import { bytesOf, type Sized, sized } from './sized.ts';
import type { Tail } from './tail.ts';

/** More than this is not kept for a tail that still reads what is stored: it reads that too. */
export const HELD_BYTES = 128 * 1024;

/** What came while a tail was reading what is stored. */
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
 * One followed lane: how far its log was read, and who gets what comes. Each page is read once and
 * goes to all live tails. A tail that still reads what is stored is not live yet.
 */
export class LaneFeed {
  readonly lane: string;
  readonly tails = new Set<Tail>();
  readonly #live = new Set<Tail>();
  readonly #held = new Set<Held>();
  readonly #pages = new PageSize();
  readonly #begun = Promise.withResolvers<void>();
  #asked: Position & { readonly limit: number } = { head: 0, proven: 0, limit: 0 };
  /** null until the store was asked where the log ends. */
  head: number | null = null;
  #proven = 0;
  /** A hint came before that. */
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

  /** The store says that the log goes up to here. True if that is further than was read. */
  reaches(last: number): boolean {
    this.#proven = Math.max(this.#proven, last);
    return this.head !== null && last > this.head;
  }

  /** Where the log stands, for a read that begins now. */
  position(): Position {
    return { head: this.head ?? 0, proven: this.#proven };
  }

  /** What to read next; `accept` takes the answer. */
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

  /** From now on the tail gets what comes. Only for one that has everything up to `head`. */
  join(tail: Tail): void {
    if (tail.open) this.#live.add(tail);
  }

  isLive(tail: Tail): boolean {
    return this.#live.has(tail);
  }

  /** False if it was not there. */
  leave(tail: Tail): boolean {
    this.#live.delete(tail);
    return this.tails.delete(tail);
  }

  /** Begins to keep what comes, for a tail that is about to read up to here. */
  hold(): Held {
    const held = new Held();
    this.#held.add(held);
    return held;
  }

  release(held: Held): void {
    this.#held.delete(held);
  }
}
