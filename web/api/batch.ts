/**
 * Gathers what comes together, so that it makes one request. The first waits for a moment only; while
 * it does not end, it is less and less often.
 */
export class Gather<T> {
  readonly #act: (all: readonly T[]) => void;
  readonly #firstMs: number;
  readonly #mostMs: number;
  readonly #due = new Set<T>();
  #waitMs: number;
  #actedAt = Number.NEGATIVE_INFINITY;

  constructor(firstMs: number, mostMs: number, act: (all: readonly T[]) => void) {
    this.#act = act;
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
    this.#waitMs = firstMs;
  }

  note(one: T): void {
    if (this.#due.size === 0) {
      const isQuiet = performance.now() - this.#actedAt > 2 * this.#waitMs;
      this.#waitMs = isQuiet ? this.#firstMs : Math.min(2 * this.#waitMs, this.#mostMs);
      setTimeout(() => this.#tell(), this.#waitMs);
    }
    this.#due.add(one);
  }

  #tell(): void {
    const all = [...this.#due];
    this.#due.clear();
    this.#actedAt = performance.now();
    this.#act(all);
  }
}
