import { isBatonError } from '../../contract/errors.ts';
import type { Hint } from '../hint.ts';
import type { Logger } from '../logger.ts';
import { DatabaseWatch } from '../membership/database-watch.ts';
import type { Store } from '../store.ts';
import { catchUp } from './catch-up.ts';
import { Feeds } from './feeds.ts';
import { GrowthHub, GrowthReader } from './growth.ts';
import type { LaneFeed } from './lane-feed.ts';
import { pageBytes } from './page-size.ts';
import { Signal } from './signal.ts';
import { Slots } from './slots.ts';
import { Tail, type TailLimits } from './tail.ts';

export interface FollowOptions extends Partial<TailLimits> {
  /** How often the store is polled for growth that no hint reported. */
  readonly pollMs?: number;
  /** Approximately how many bytes of stored events all readers together may hold. */
  readonly allBytes?: number;
}

export interface TailFrom {
  readonly after: number;
  readonly runId: string | null;
  readonly signal: AbortSignal | null;
  /** For `giveWay`. */
  readonly reader: string;
}

/** How many tails may read stored events at a time; the remaining connections are for writers. */
const READING_TAILS = 3;

/**
 * Follows the logs of many lanes for many tails. Hints name the lanes that grew, and a poll of all
 * followed lanes finds growth that no hint reported (E1). The follower runs while there is a tail
 * or a reader of the hint feed; both stay open while the database is unavailable.
 */
export class Follower {
  readonly #store: Store;
  readonly #pollMs: number;
  readonly #limits: TailLimits;
  readonly #database: DatabaseWatch;
  readonly #feeds: Feeds;
  readonly #growth: GrowthHub;
  readonly #slots = new Slots(READING_TAILS);
  readonly #allBytes: number | undefined;
  #tails = 0;
  readonly #ticked = new Signal();
  #timer: NodeJS.Timeout | null = null;
  #stopHints: (() => void) | null = null;
  #closed = false;

  constructor(store: Store, log: Logger, options: FollowOptions = {}) {
    this.#store = store;
    this.#pollMs = options.pollMs ?? 250;
    this.#limits = {
      stallMs: options.stallMs ?? 30_000,
      unreadBytes: options.unreadBytes ?? 1024 * 1024,
    };
    this.#allBytes = options.allBytes;
    this.#database = new DatabaseWatch(log);
    this.#feeds = new Feeds(store, {
      answered: () => this.#database.answered('read'),
      failed: (error) => this.#failed(error),
      grew: (lanes) => this.#growth.note(lanes),
      gone: (feed) => endTails(feed, (tail) => tail.finish('gone')),
      skipped: (feed) => this.#checkRuns(feed),
    });
    this.#growth = new GrowthHub(
      (lanes) => this.#feeds.lastSeqs(lanes),
      (error) => this.#failed(error),
    );
  }

  /** How many lanes are followed, and how many tails are on them. */
  get stats(): { lanes: number; tails: number } {
    return { lanes: this.#feeds.size, tails: this.#tails };
  }

  tail(lane: string, from: TailFrom): Tail {
    const { signal } = from;
    const abort = (): void => tail.cut('stopped');
    const tail = new Tail(lane, from, this.#limits, () => {
      signal?.removeEventListener('abort', abort);
      this.#leave(tail);
    });
    if (this.#closed) tail.cut('closed');
    else if (signal?.aborted === true) abort();
    else {
      signal?.addEventListener('abort', abort, { once: true });
      this.#start();
      void this.#follow(tail);
    }
    return tail;
  }

  /** Reports all lanes that grow from now on. */
  hints(signal: AbortSignal | null): GrowthReader {
    const abort = (): void => reader.end();
    const reader = new GrowthReader(() => {
      signal?.removeEventListener('abort', abort);
      this.#growth.readers.delete(reader);
      this.#stopIfIdle();
    });
    if (this.#closed || signal?.aborted === true) abort();
    else {
      signal?.addEventListener('abort', abort, { once: true });
      this.#growth.readers.add(reader);
      this.#start();
    }
    return reader;
  }

  /**
   * Reports that anything may have changed, not only logs; readers of the hint feed then reload
   * everything.
   */
  hintAll(): void {
    this.#growth.note([], true);
  }

  /** Ends all tails. Safe to call twice. */
  async close(): Promise<void> {
    this.#endAll();
    await this.#feeds.stop();
  }

  async #follow(tail: Tail): Promise<void> {
    const feed = this.#feeds.open(tail.lane);
    feed.tails.add(tail);
    this.#tails++;
    await catchUp(feed, tail, {
      store: this.#store,
      slots: this.#slots,
      pageBytes: () => pageBytes(this.#tails, this.#allBytes),
      failed: (error) => this.#untilRetry(error, tail),
    });
    await this.#checkRun(tail);
  }

  /**
   * Checks runs whose `done` may have been skipped. Tails that are not live yet make this check
   * themselves.
   */
  #checkRuns(feed: LaneFeed): void {
    for (const tail of feed.tails) if (feed.isLive(tail)) void this.#checkRun(tail);
  }

  /**
   * The `done` of a finished run may be before the cursor, or may have been removed with the run.
   * In either case, a tail of the run would wait forever. Called only for live tails, so a later
   * `done` is not missed.
   */
  async #checkRun(tail: Tail): Promise<void> {
    const { lane, runId } = tail;
    while (tail.open && runId !== null) {
      try {
        const run = await this.#store.get(runId);
        if (run?.lane === lane) {
          if (run.lastSeq !== null && run.lastSeq <= tail.position) tail.finish('done');
          return;
        }
        // The run has been removed from the queue, but its last events may not have arrived yet.
        const rest = await this.#store.listAfter(lane, tail.position, 1, runId);
        if (rest.length === 0) tail.finish('gone');
        return;
      } catch (error) {
        await this.#untilRetry(error, tail);
      }
    }
  }

  async #untilRetry(error: unknown, tail: Tail): Promise<void> {
    this.#failed(error);
    if (tail.open) await this.#ticked.wait();
  }

  #leave(tail: Tail): void {
    const feed = this.#feeds.get(tail.lane);
    if (feed === undefined || !feed.leave(tail)) return;
    this.#tails--;
    if (feed.tails.size > 0) return;
    this.#feeds.remove(feed);
    this.#stopIfIdle();
  }

  #start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => this.#tick(), this.#pollMs);
    this.#stopHints = this.#store.onHint((hint) => this.#hear(hint));
  }

  #stopIfIdle(): void {
    if (this.#feeds.size > 0 || this.#growth.readers.size > 0) return;
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
    this.#stopHints?.();
    this.#stopHints = null;
    this.#ticked.fire();
  }

  #hear({ lanes, all }: Hint): void {
    if (all === true) this.#feeds.poll();
    for (const lane of lanes) {
      const feed = this.#feeds.get(lane);
      if (feed !== undefined) this.#feeds.wake(feed);
    }
    this.#growth.note(lanes, all);
  }

  #tick(): void {
    const now = performance.now();
    for (const feed of this.#feeds.values()) endTails(feed, (tail) => tail.dropIfStalled(now));
    this.#ticked.fire();
    this.#growth.retry();
    this.#feeds.tick();
  }

  #failed(error: unknown): void {
    if (isBatonError(error, 'closed')) this.#endAll();
    else this.#database.failed(error);
  }

  #endAll(): void {
    this.#closed = true;
    for (const feed of this.#feeds.values()) endTails(feed, (tail) => tail.cut('closed'));
    for (const reader of this.#growth.readers) reader.end();
    this.#database.end();
  }
}

/** Each tail is removed from its feed's Set during the loop, which is safe. */
function endTails(feed: LaneFeed, end: (tail: Tail) => void): void {
  for (const tail of feed.tails) end(tail);
}
