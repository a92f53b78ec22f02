import { type Backoff, backoff } from '../../src/contract/functions/growing-wait.ts';

/**
 * Collects items that arrive together and handles them with one request. The first batch waits only
 * a moment; while items keep coming, batches become less frequent.
 */
export class Batch<T> {
  readonly #act: (items: readonly T[]) => void;
  readonly #waits: Backoff;
  readonly #due = new Set<T>();
  #waitMs: number;
  /** The number of batches in a row without a pause. */
  #batches = 0;
  #actedAt = Number.NEGATIVE_INFINITY;

  constructor(firstMs: number, maxMs: number, act: (items: readonly T[]) => void) {
    this.#act = act;
    this.#waits = { firstMs, capMs: maxMs };
    this.#waitMs = firstMs;
  }

  add(item: T): void {
    if (this.#due.size === 0) {
      const isQuiet = performance.now() - this.#actedAt > 2 * this.#waitMs;
      this.#batches = isQuiet ? 1 : this.#batches + 1;
      this.#waitMs = backoff(this.#batches, this.#waits);
      setTimeout(() => this.#flush(), this.#waitMs);
    }
    this.#due.add(item);
  }

  #flush(): void {
    const items = [...this.#due];
    this.#due.clear();
    this.#actedAt = performance.now();
    this.#act(items);
  }
}
