import { giveWay } from '../give-way.ts';
import type { LogStore } from '../store.ts';
import { advance, type Position } from './continuity.ts';
import { HELD_BYTES, type LaneFeed } from './lane-feed.ts';
import { PageSize } from './page-size.ts';
import { bytesOf, sized } from './sized.ts';
import type { Slots } from './slots.ts';
import type { Tail } from './tail.ts';

export interface CatchUp {
  readonly store: LogStore;
  /** Limits how many tails read stored events at a time, so that readers do not hold up writers. */
  readonly slots: Slots;
  /** Approximate maximum number of bytes in a page. */
  readonly pageBytes: () => number;
  /** Called with an error; resolves when it is time to retry. */
  readonly failed: (error: unknown) => Promise<void>;
}

/** Sends the stored events to a tail at the pace of its reader, then makes the tail live. */
export async function catchUp(feed: LaneFeed, tail: Tail, by: CatchUp): Promise<void> {
  const pages = new PageSize(by.pageBytes);
  let proven = 0;
  await feed.begun;
  while (tail.open && !feed.isLive(tail)) {
    if (tail.position >= feed.position().head) return feed.join(tail);
    await tail.drained();
    // Reading an embedded database and writing to a fast reader take no turn of the event loop.
    await giveWay(tail.reader);
    await by.slots.take();
    try {
      if (tail.open) proven = await readPage(feed, tail, proven, pages, by.store);
      by.slots.release();
    } catch (error) {
      by.slots.release();
      await by.failed(error);
    }
  }
}

/**
 * Reads one page of stored events. Events that reach the feed during the read are held for the
 * tail, so it misses nothing when it becomes live after the last page. Returns the last proven seq.
 */
async function readPage(
  feed: LaneFeed,
  tail: Tail,
  provenBefore: number,
  pages: PageSize,
  store: LogStore,
): Promise<number> {
  const at = feed.position();
  const from: Position = {
    head: tail.position,
    proven: Math.max(provenBefore, at.proven),
  };
  const { limit } = pages;
  const held = feed.hold();
  try {
    const page = await store.listAfter(tail.lane, from.head, limit, tail.runId ?? undefined);
    const full = page.length >= limit;
    // A run's events are interleaved with others, so their seqs have gaps, and only their order
    // shows that none is missing.
    const last = page.at(-1)?.seq ?? from.head;
    const step =
      tail.runId === null
        ? advance(from, page, full)
        : {
            events: page,
            head: full ? last : Math.max(at.head, last),
            proven: from.proven,
            more: full,
          };
    const all = step.events.map(sized);
    pages.saw(bytesOf(all), full);
    tail.offer(all, step.head);
    if (!step.more && tail.unreadBytes + held.bytes <= HELD_BYTES) {
      tail.offer(held.events, feed.position().head);
      feed.join(tail);
    }
    return step.proven;
  } finally {
    feed.release(held);
  }
}
