import type { LaneChange } from '../machine/lane-change.ts';
import type { Hint } from '../store.ts';

/** Sends hints. All changes in one turn of the event loop are combined into one hint. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();
  #ready = false;
  #nodes = new Set<string>();
  /** May contain duplicates: few lanes change twice in a turn, and listeners use sets. */
  #lanes: string[] = [];
  #schedules = false;
  #scheduled = false;

  add(listener: (hint: Hint) => void): () => void {
    // Wrapped, so the same function can be added and removed twice.
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  note(change: LaneChange): void {
    if (this.#listeners.size === 0) return;
    if (change.ready) this.#ready = true;
    for (const node of change.nodes) this.#nodes.add(node);
    if (change.events.length > 0) this.#lanes.push(change.lane.id);
    this.#sendSoon();
  }

  /** A slot was left for another host. */
  noteReady(): void {
    if (this.#listeners.size === 0) return;
    this.#ready = true;
    this.#sendSoon();
  }

  noteNodes(nodes: Iterable<string>): void {
    if (this.#listeners.size === 0) return;
    for (const node of nodes) this.#nodes.add(node);
    this.#sendSoon();
  }

  noteSchedules(): void {
    if (this.#listeners.size === 0) return;
    this.#schedules = true;
    this.#sendSoon();
  }

  clear(): void {
    this.#listeners.clear();
  }

  #sendSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#send());
  }

  #send(): void {
    const hint = {
      ready: this.#ready,
      nodes: [...this.#nodes],
      lanes: this.#lanes,
      ...(this.#schedules ? { schedules: true } : {}),
    };
    this.#scheduled = false;
    this.#ready = false;
    this.#nodes = new Set();
    this.#lanes = [];
    this.#schedules = false;
    for (const listener of this.#listeners) listener(hint);
  }
}
