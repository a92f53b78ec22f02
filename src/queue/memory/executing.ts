import type { Lane } from '../../contract/lane.ts';

/** The number of executing runs per type, per owner, per owner and type, and per node. */
export class Executing {
  readonly #types = new Map<string, number>();
  readonly #owners = new Map<string, { all: number; types: Map<string, number> }>();
  readonly #nodes = new Map<string, number>();

  /** Adds a lane to the counts (`by` 1) or removes it (-1). */
  count(lane: Lane, by: 1 | -1): void {
    const type = lane.headType as string;
    bump(this.#types, type, by);
    bump(this.#nodes, lane.nodeId as string, by);
    let owner = this.#owners.get(lane.owner);
    if (owner === undefined) {
      owner = { all: 0, types: new Map() };
      this.#owners.set(lane.owner, owner);
    }
    owner.all += by;
    bump(owner.types, type, by);
    if (owner.all === 0) this.#owners.delete(lane.owner);
  }

  ofType(type: string): number {
    return this.#types.get(type) ?? 0;
  }

  ofNode(nodeId: string): number {
    return this.#nodes.get(nodeId) ?? 0;
  }

  /** If `type` is null, counts all types. */
  ofOwner(name: string, type: string | null): number {
    const owner = this.#owners.get(name);
    if (owner === undefined) return 0;
    return type === null ? owner.all : (owner.types.get(type) ?? 0);
  }
}

function bump(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
