import type { Usage } from '../../access/access-store.ts';

/**
 * A per-key limit on how much is open at once, such as a user's streams. Slots taken on other nodes
 * also count.
 */
export class Slots {
  readonly #max: number;
  readonly #taken = new Map<string, number>();
  #elsewhere: ReadonlyMap<string, number> = new Map();

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes a slot and returns a function that releases it, to be called once; null if no slot is
   * free.
   */
  enter(key: string): (() => void) | null {
    const taken = this.#taken.get(key) ?? 0;
    if (taken + (this.#elsewhere.get(key) ?? 0) >= this.#max) return null;
    this.#taken.set(key, taken + 1);
    return () => {
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left === 0) this.#taken.delete(key);
      else this.#taken.set(key, left);
    };
  }

  taken(): Usage[] {
    return [...this.#taken].map(([key, value]) => ({ key, value }));
  }

  /** How many slots are taken on other nodes. */
  set elsewhere(counts: ReadonlyMap<string, number>) {
    this.#elsewhere = counts;
  }
}
