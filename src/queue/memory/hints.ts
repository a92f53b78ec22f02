import { type Hint, READY } from '../hint.ts';
import type { LaneChange } from '../machine/lane-change.ts';

/** Sends hints. All changes in one turn of the event loop are combined into one hint. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();
  #nodes = new Set<string>();
  #topics = new Set<string>();
  /** May contain duplicates: few lanes change twice in a turn, and listeners use sets. */
  #lanes: string[] = [];
  #scheduled = false;

  add(listener: (hint: Hint) => void): () => void {
    // The listener is wrapped so that the same function can be added more than once.
    const own = (hint: Hint): void => listener(hint);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  note(change: LaneChange): void {
    if (this.#listeners.size === 0) return;
    if (change.ready) this.#topics.add(READY);
    for (const node of change.nodes) this.#nodes.add(node);
    if (change.events.length > 0) this.#lanes.push(change.lane.id);
    this.#sendSoon();
  }

  noteTopic(topic: string): void {
    if (this.#listeners.size === 0) return;
    this.#topics.add(topic);
    this.#sendSoon();
  }

  noteNodes(nodes: Iterable<string>): void {
    if (this.#listeners.size === 0) return;
    for (const node of nodes) this.#nodes.add(node);
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
    const hint = { lanes: this.#lanes, nodes: [...this.#nodes], topics: [...this.#topics] };
    this.#scheduled = false;
    this.#lanes = [];
    this.#nodes = new Set();
    this.#topics = new Set();
    for (const listener of this.#listeners) listener(hint);
  }
}
