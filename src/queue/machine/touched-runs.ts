import type { RunState } from '../../contract/run.ts';
import type { RunCore } from './lane-change.ts';

export interface TouchedRun {
  readonly run: RunCore;
  /** The state it came from; null for a new one. */
  readonly from: RunState | null;
}

/** Up to here looking through the list is cheaper than making a map. */
const FEW = 8;

/** The runs of one change, in the order they were touched. Nearly always it is one. */
export class TouchedRuns {
  #list: TouchedRun[] = [];
  #byId: Map<string, TouchedRun> | null = null;

  get size(): number {
    return this.#list.length;
  }

  get(id: string): TouchedRun | undefined {
    if (this.#byId !== null) return this.#byId.get(id);
    for (const one of this.#list) if (one.run.id === id) return one;
    return undefined;
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  /** Adds one that is not there yet. */
  add(run: RunCore, from: RunState | null): void {
    const touched = { run, from };
    if (this.#list.length === 0) this.#list = [touched];
    else this.#list.push(touched);
    if (this.#byId !== null) this.#byId.set(run.id, touched);
    else if (this.#list.length > FEW) {
      this.#byId = new Map(this.#list.map((one) => [one.run.id, one]));
    }
  }

  values(): readonly TouchedRun[] {
    return this.#list;
  }
}
