import type { RunState } from '../../contract/run.ts';
import type { RunCore } from './lane-change.ts';

export interface TouchedRun {
  readonly run: RunCore;
  /** The previous state; null for a new run. */
  readonly from: RunState | null;
}

/** Up to this size, scanning the list is cheaper than building a map. */
const FEW = 8;

/** The runs of one change, in the order they were touched. Nearly always there is just one run. */
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

  /** Adds a run that has not been added before. */
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
