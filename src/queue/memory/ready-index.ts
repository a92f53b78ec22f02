import { Line } from './line.ts';
import type { LaneRecord } from './records.ts';
import { SortedNames } from './sorted-names.ts';

/** The claimable lanes of one type and host: who waits, and each one's lanes, longest ready first. */
class Shelf {
  readonly owners = new SortedNames();
  readonly lanes = new Map<string, Line<LaneRecord>>();
}

/** Stands for "any host"; a host's name is never empty. */
const ANYWHERE = '';

export const longestReadyFirst = (a: LaneRecord, b: LaneRecord): number =>
  a.row.readyAt - b.row.readyAt || (a.row.id < b.row.id ? -1 : 1);

/** Where a claim finds its lanes: by type, host and owner. Holds claimable lanes only. */
export class ReadyIndex {
  readonly #types = new Map<string, Map<string, Shelf>>();

  add(lane: LaneRecord): void {
    const { headType, host, owner } = lane.row;
    const type = headType as string;
    let hosts = this.#types.get(type);
    if (hosts === undefined) {
      hosts = new Map();
      this.#types.set(type, hosts);
    }
    let shelf = hosts.get(host ?? ANYWHERE);
    if (shelf === undefined) {
      shelf = new Shelf();
      hosts.set(host ?? ANYWHERE, shelf);
    }
    let line = shelf.lanes.get(owner);
    if (line === undefined) {
      line = new Line(longestReadyFirst);
      shelf.lanes.set(owner, line);
      shelf.owners.add(owner);
    }
    line.add(lane);
  }

  /** Called before the lane's row changes, so it is found where it was put. */
  remove(lane: LaneRecord): void {
    const { headType, host, owner } = lane.row;
    const type = headType as string;
    const hosts = this.#types.get(type);
    const shelf = hosts?.get(host ?? ANYWHERE);
    const line = shelf?.lanes.get(owner);
    if (hosts === undefined || shelf === undefined || line === undefined) {
      throw new Error('the lane is not ready');
    }
    line.remove(lane);
    if (line.size > 0) return;
    shelf.lanes.delete(owner);
    shelf.owners.delete(owner);
    if (!shelf.owners.empty) return;
    hosts.delete(host ?? ANYWHERE);
    if (hosts.size === 0) this.#types.delete(type);
  }

  /** The next owner after a given one with a lane that these hosts may take. */
  nextOwner(type: string, hosts: readonly string[], after: string | null): string | null {
    const shelves = this.#types.get(type);
    let first = shelves?.get(ANYWHERE)?.owners.next(after) ?? null;
    for (const host of hosts) {
      const owner = shelves?.get(host)?.owners.next(after) ?? null;
      if (owner !== null && (first === null || owner < first)) first = owner;
    }
    return first;
  }

  /** The owner's lane that has been ready longest, of those this host may take. */
  longestReady(type: string, host: string, owner: string): LaneRecord | undefined {
    const hosts = this.#types.get(type);
    const anywhere = hosts?.get(ANYWHERE)?.lanes.get(owner)?.peek();
    const here = this.ofHost(type, host, owner)?.peek();
    if (anywhere === undefined || here === undefined) return anywhere ?? here;
    return longestReadyFirst(anywhere, here) < 0 ? anywhere : here;
  }

  /** The owner's lanes that only this host may take. */
  ofHost(type: string, host: string, owner: string): Line<LaneRecord> | undefined {
    return this.#types.get(type)?.get(host)?.lanes.get(owner);
  }

  /** Whether there are lanes that only this host may take. */
  hasHost(type: string, host: string): boolean {
    return this.#types.get(type)?.has(host) === true;
  }

  /** Those that lanes are pinned to. */
  hosts(): Set<string> {
    const named = [...this.#types.values()].flatMap((hosts) => [...hosts.keys()]);
    return new Set(named.filter((host) => host !== ANYWHERE));
  }

  types(): Iterable<string> {
    return this.#types.keys();
  }
}
