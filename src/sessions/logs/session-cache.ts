import { isAdmin, type Principal } from '../../access/principal.ts';
import type { ServiceStore } from '../service-parts.ts';
import type { SessionWithFacts } from '../session-record.ts';

/** A session as it was at a seq of its log, or that the lane is none. */
interface Seen {
  readonly upTo: number;
  readonly found: SessionWithFacts | null;
  /** With whom it is shared; asked once somebody needs it. */
  sharedWith: Promise<ReadonlySet<string>> | null;
}

/** So many are remembered; a reader that is further behind looks again. */
const SEEN_MAX = 1000;

/**
 * Sessions whose log grew, looked at once for all readers of the hint stream on this node. Every
 * change of a session is an event in its log, so what was seen at a seq is true until the next one;
 * shares are not in the log, and whoever changes them tells.
 */
export class SessionCache {
  readonly #store: Pick<ServiceStore, 'getSession' | 'listShares' | 'onHint'>;
  readonly #seen = new Map<string, Promise<Seen>>();

  constructor(store: Pick<ServiceStore, 'getSession' | 'listShares' | 'onHint'>) {
    this.#store = store;
    store.onHint(({ access }) => {
      if (access === true) this.#seen.clear();
    });
  }

  /** The session at this seq or later, if there is one that they may see. */
  async find(by: Principal, lane: string, seq: number): Promise<SessionWithFacts | null> {
    const seen = await this.#at(lane, seq);
    const { found } = seen;
    if (found === null) return null;
    if (isAdmin(by) || found.session.ownerId === by.userId) return found;
    seen.sharedWith ??= this.#sharedWith(lane).catch((error: unknown) => {
      seen.sharedWith = null;
      throw error;
    });
    return (await seen.sharedWith).has(by.userId) ? found : null;
  }

  async #at(lane: string, seq: number): Promise<Seen> {
    for (;;) {
      const known = this.#seen.get(lane);
      const seen = await (known ?? this.#look(lane, seq));
      if (seen.upTo >= seq) return seen;
      // Another reader may have begun to look again meanwhile.
      if (this.#seen.get(lane) === known) this.#seen.delete(lane);
    }
  }

  #look(lane: string, seq: number): Promise<Seen> {
    const look = this.#store.getSession(lane).then((found) => ({
      upTo: Math.max(seq, found?.lastSeq ?? 0),
      found,
      sharedWith: null,
    }));
    this.#seen.set(lane, look);
    if (this.#seen.size > SEEN_MAX) this.#seen.delete(this.#seen.keys().next().value as string);
    // What failed is asked again by the next one.
    look.catch(() => this.#seen.get(lane) === look && this.#seen.delete(lane));
    return look;
  }

  async #sharedWith(lane: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#store.listShares(lane)).map(({ userId }) => userId));
  }
}
