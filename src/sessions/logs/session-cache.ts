import { isAdmin, type Principal } from '../../access/principal.ts';
import type { ServiceStore } from '../service-parts.ts';
import type { SessionWithFacts } from '../session-record.ts';

/** A session as of `upTo` in its log; `current` is null if the lane is not a session. */
interface Cached {
  readonly upTo: number;
  readonly current: SessionWithFacts | null;
  /** The users that the session is shared with; read when first needed. */
  sharedWith: Promise<ReadonlySet<string>> | null;
}

/** How many sessions are cached; readers of any other session go to the database. */
const CACHED_MAX = 1000;

/**
 * Sessions whose logs have grown, read once for all readers of the hint stream on this node. Every
 * change to a session is an event in its log, so a session read at a given seq stays valid until
 * the next event. Shares are not in the log; the caller clears the cache when access changes.
 */
export class SessionCache {
  readonly #store: Pick<ServiceStore, 'getSession' | 'listShares'>;
  readonly #cached = new Map<string, Promise<Cached>>();

  constructor(store: Pick<ServiceStore, 'getSession' | 'listShares'>) {
    this.#store = store;
  }

  clear(): void {
    this.#cached.clear();
  }

  /** The session as of this seq or later; null if the lane is not a session that `by` may see. */
  async find(by: Principal, lane: string, seq: number): Promise<SessionWithFacts | null> {
    const cached = await this.#at(lane, seq);
    const { current } = cached;
    if (current === null) return null;
    if (isAdmin(by) || current.session.ownerId === by.userId) return current;
    cached.sharedWith ??= this.#sharedWith(lane).catch((error: unknown) => {
      cached.sharedWith = null;
      throw error;
    });
    return (await cached.sharedWith).has(by.userId) ? current : null;
  }

  async #at(lane: string, seq: number): Promise<Cached> {
    for (;;) {
      const known = this.#cached.get(lane);
      const cached = await (known ?? this.#read(lane, seq));
      if (cached.upTo >= seq) return cached;
      // Another reader may have started a new read by now.
      if (this.#cached.get(lane) === known) this.#cached.delete(lane);
    }
  }

  #read(lane: string, seq: number): Promise<Cached> {
    const read = this.#store.getSession(lane).then((current) => ({
      upTo: Math.max(seq, current?.lastSeq ?? 0),
      current,
      sharedWith: null,
    }));
    this.#cached.set(lane, read);
    if (this.#cached.size > CACHED_MAX)
      this.#cached.delete(this.#cached.keys().next().value as string);
    // After a failure, the next reader tries again.
    read.catch(() => this.#cached.get(lane) === read && this.#cached.delete(lane));
    return read;
  }

  async #sharedWith(lane: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#store.listShares(lane)).map(({ userId }) => userId));
  }
}
