import { Coalescer } from '../coalescer.ts';
import type { Store } from '../store.ts';
import { LaneFeed } from './lane-feed.ts';

export interface FeedEvents {
  /** A read succeeded. */
  answered(): void;
  failed(error: unknown): void;
  /** The poll showed that these lanes have grown. */
  grew(lanes: readonly string[]): void;
  /** The lane was removed, and perhaps created again. */
  gone(feed: LaneFeed): void;
  /** Removed events were skipped. */
  skipped(feed: LaneFeed): void;
}

/** Maximum number of lanes in one statement of a poll, and in one read. */
const LANES_PER_POLL = 1000;
const LANES_PER_READ = 64;

/**
 * The followed lanes and all reads for them: at most one poll and one read of new events are in
 * progress at a time, however many lanes there are. A failed read is retried at the next tick.
 */
export class Feeds {
  readonly #store: Store;
  readonly #on: FeedEvents;
  readonly #feeds = new Map<string, LaneFeed>();
  /** Feeds whose lane's log has grown. */
  readonly #woken = new Set<LaneFeed>();
  /** Feeds whose last seq is not known yet. */
  readonly #fresh = new Set<LaneFeed>();
  readonly #read = new Coalescer(() => this.#readWoken());
  readonly #poll = new Coalescer(() => this.#pollAll());
  readonly #locate = new Coalescer(() => this.#locateFresh());

  constructor(store: Store, on: FeedEvents) {
    this.#store = store;
    this.#on = on;
  }

  get size(): number {
    return this.#feeds.size;
  }

  values(): Iterable<LaneFeed> {
    return this.#feeds.values();
  }

  get(lane: string): LaneFeed | undefined {
    return this.#feeds.get(lane);
  }

  open(lane: string): LaneFeed {
    let feed = this.#feeds.get(lane);
    if (feed === undefined) {
      feed = new LaneFeed(lane);
      this.#feeds.set(lane, feed);
      this.#fresh.add(feed);
      this.#locate.trigger();
    }
    return feed;
  }

  remove(feed: LaneFeed): void {
    this.#feeds.delete(feed.lane);
    this.#woken.delete(feed);
    this.#fresh.delete(feed);
    // A caller still waiting for the feed will see that its tail has ended.
    feed.begin(0);
  }

  /** The lane may have grown. */
  wake(feed: LaneFeed): void {
    if (feed.head === null) {
      feed.early = true;
      return;
    }
    this.#woken.add(feed);
    this.#read.trigger();
  }

  /** Any lane may have grown. */
  poll(): void {
    if (this.#feeds.size > 0) this.#poll.trigger();
  }

  tick(): void {
    if (this.#fresh.size > 0) this.#locate.trigger();
    if (this.#woken.size > 0) this.#read.trigger();
    this.poll();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#read.stop(), this.#poll.stop(), this.#locate.stop()]);
  }

  async lastSeqs(lanes: readonly string[]): Promise<Map<string, number>> {
    const all = new Map<string, number>();
    for (let i = 0; i < lanes.length; i += LANES_PER_POLL) {
      const part = await this.#store.lastSeqs(lanes.slice(i, i + LANES_PER_POLL));
      for (const [lane, seq] of part) all.set(lane, seq);
    }
    return all;
  }

  async #locateFresh(): Promise<void> {
    const feeds = [...this.#fresh];
    await this.#try(async () => {
      const last = await this.lastSeqs(feeds.map(({ lane }) => lane));
      for (const feed of feeds) {
        if (!this.#fresh.delete(feed)) continue;
        feed.begin(last.get(feed.lane) ?? 0);
        if (feed.early) this.wake(feed);
      }
    });
  }

  async #pollAll(): Promise<void> {
    const asked = [...this.#feeds.values()].flatMap((feed) =>
      feed.head === null ? [] : [{ feed, head: feed.head }],
    );
    await this.#try(async () => {
      const last = await this.lastSeqs(asked.map(({ feed }) => feed.lane));
      const grown: string[] = [];
      for (const { feed, head } of asked) {
        const seq = last.get(feed.lane) ?? 0;
        // A lane's last seq never decreases. If, between two polls, a lane is removed, is created
        // again and grows longer than before, this goes unnoticed.
        if (seq < head) this.#on.gone(feed);
        else if (feed.reaches(seq)) {
          grown.push(feed.lane);
          this.wake(feed);
        }
      }
      this.#on.grew(grown);
    });
  }

  /**
   * Performs one read and leaves the rest to the next turn of the event loop, so that readers can
   * run in between.
   */
  async #readWoken(): Promise<void> {
    const feeds = [...this.#woken].slice(0, LANES_PER_READ);
    if (feeds.length === 0) return;
    for (const feed of feeds) this.#woken.delete(feed);
    const read = await this.#try(async () => {
      const events = await this.#store.listAfterEach(feeds.map((feed) => feed.ask()));
      const pages = Map.groupBy(events, ({ lane }) => lane);
      for (const feed of feeds) {
        const { more, skipped } = feed.accept(pages.get(feed.lane) ?? []);
        if (more) this.#again(feed);
        if (skipped) this.#on.skipped(feed);
      }
    });
    if (!read) for (const feed of feeds) this.#again(feed);
    else if (this.#woken.size > 0) this.#read.trigger();
  }

  #again(feed: LaneFeed): void {
    if (feed.tails.size > 0) this.#woken.add(feed);
  }

  async #try(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      this.#on.answered();
      return true;
    } catch (error) {
      this.#on.failed(error);
      return false;
    }
  }
}
