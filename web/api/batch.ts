/**
 * Collects items that arrive together and handles them with one request. The first batch waits only
 * a moment; while items keep coming, batches become less frequent.
 */
export class Batch<T> {
  readonly #act: (items: readonly T[]) => void;
  readonly #firstMs: number;
  readonly #maxMs: number;
  readonly #due = new Set<T>();
  #waitMs: number;
  #actedAt = Number.NEGATIVE_INFINITY;

  constructor(firstMs: number, maxMs: number, act: (items: readonly T[]) => void) {
    this.#act = act;
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
    this.#waitMs = firstMs;
  }

  add(item: T): void {
    if (this.#due.size === 0) {
      const isQuiet = performance.now() - this.#actedAt > 2 * this.#waitMs;
      this.#waitMs = isQuiet ? this.#firstMs : Math.min(2 * this.#waitMs, this.#maxMs);
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
