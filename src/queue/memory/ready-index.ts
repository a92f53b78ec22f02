import { MostlySortedQueue } from './mostly-sorted-queue.ts';
import type { LaneRecord } from './records.ts';
import { SortedNames } from './sorted-names.ts';

/**
 * The claimable lanes of one type and host: the owners, and each owner's lanes, longest-waiting
 * first.
 */
class Bucket {
  readonly owners = new SortedNames();
  readonly lanes = new Map<string, MostlySortedQueue<LaneRecord>>();
}

/** Means "any host"; a host's name is never empty. */
const ANYWHERE = '';

export const longestReadyFirst = (a: LaneRecord, b: LaneRecord): number =>
  a.row.readyAt - b.row.readyAt || (a.row.id < b.row.id ? -1 : 1);

/** The claimable lanes by type, host and owner. */
export class ReadyIndex {
  readonly #types = new Map<string, Map<string, Bucket>>();

  add(lane: LaneRecord): void {
    const { headType, host, owner } = lane.row;
    const type = headType as string;
    let hosts = this.#types.get(type);
    if (hosts === undefined) {
      hosts = new Map();
      this.#types.set(type, hosts);
    }
    let bucket = hosts.get(host ?? ANYWHERE);
    if (bucket === undefined) {
      bucket = new Bucket();
      hosts.set(host ?? ANYWHERE, bucket);
    }
    let queue = bucket.lanes.get(owner);
    if (queue === undefined) {
      queue = new MostlySortedQueue(longestReadyFirst);
      bucket.lanes.set(owner, queue);
      bucket.owners.add(owner);
    }
    queue.add(lane);
  }

  /**
   * Must be called before the lane's row changes, because the row determines where in the index the
   * lane is.
   */
  remove(lane: LaneRecord): void {
    const { headType, host, owner } = lane.row;
    const type = headType as string;
    const hosts = this.#types.get(type);
    const bucket = hosts?.get(host ?? ANYWHERE);
    const queue = bucket?.lanes.get(owner);
    if (hosts === undefined || bucket === undefined || queue === undefined) {
      throw new Error('the lane is not ready');
    }
    queue.remove(lane);
    if (queue.size > 0) return;
    bucket.lanes.delete(owner);
    bucket.owners.delete(owner);
    if (!bucket.owners.empty) return;
    hosts.delete(host ?? ANYWHERE);
    if (hosts.size === 0) this.#types.delete(type);
  }

  /** The next owner after the given one with a lane that these hosts may take. */
  nextOwner(type: string, hosts: readonly string[], after: string | null): string | null {
    const buckets = this.#types.get(type);
    let first = buckets?.get(ANYWHERE)?.owners.next(after) ?? null;
    for (const host of hosts) {
      const owner = buckets?.get(host)?.owners.next(after) ?? null;
      if (owner !== null && (first === null || owner < first)) first = owner;
    }
    return first;
  }

  /** The owner's lane that has been ready longest, among the lanes that this host may take. */
  longestReady(type: string, host: string, owner: string): LaneRecord | undefined {
    const hosts = this.#types.get(type);
    const anywhere = hosts?.get(ANYWHERE)?.lanes.get(owner)?.peek();
    const here = this.ofHost(type, host, owner)?.peek();
    if (anywhere === undefined || here === undefined) return anywhere ?? here;
    return longestReadyFirst(anywhere, here) < 0 ? anywhere : here;
  }

  /** The owner's lanes that only this host may take. */
  ofHost(type: string, host: string, owner: string): MostlySortedQueue<LaneRecord> | undefined {
    return this.#types.get(type)?.get(host)?.lanes.get(owner);
  }

  /** Whether there are lanes that only this host may take. */
  hasHost(type: string, host: string): boolean {
    return this.#types.get(type)?.has(host) === true;
  }

  /** The hosts that have lanes pinned to them. */
  hosts(): Set<string> {
    const named = [...this.#types.values()].flatMap((hosts) => [...hosts.keys()]);
    return new Set(named.filter((host) => host !== ANYWHERE));
  }

  types(): Iterable<string> {
    return this.#types.keys();
  }
}
