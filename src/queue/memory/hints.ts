import type { LaneChange } from '../machine/lane-change.ts';
import type { Hint } from '../store.ts';

/** The wake-ups: changes of one turn of the event loop are told as one hint, after they happened. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();
  #ready = false;
  #nodes = new Set<string>();
  /** With repeats: few lanes change twice in a turn, and whoever listens has a set of its own. */
  #lanes: string[] = [];
  #schedules = false;
  #scheduled = false;

  add(listener: (hint: Hint) => void): () => void {
    // Wrapped, so that the same function listening twice can stop twice.
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  note(change: LaneChange): void {
    if (this.#listeners.size === 0) return;
    if (change.ready) this.#ready = true;
    for (const node of change.nodes) this.#nodes.add(node);
    if (change.events.length > 0) this.#lanes.push(change.lane.id);
    this.#tellSoon();
  }

  /** A slot was left for somebody. */
  noteReady(): void {
    if (this.#listeners.size === 0) return;
    this.#ready = true;
    this.#tellSoon();
  }

  noteNodes(nodes: Iterable<string>): void {
    if (this.#listeners.size === 0) return;
    for (const node of nodes) this.#nodes.add(node);
    this.#tellSoon();
  }

  noteSchedules(): void {
    if (this.#listeners.size === 0) return;
    this.#schedules = true;
    this.#tellSoon();
  }

  clear(): void {
    this.#listeners.clear();
  }

  #tellSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
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
