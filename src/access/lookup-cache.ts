/**
 * Caches recent lookups by key. Concurrent callers share one lookup. Only hits are cached, each for at
 * most `forMs`, and at most `most` of them.
 */
export class LookupCache<T> {
  readonly #lookUp: (key: string) => Promise<T | null>;
  readonly #forMs: number;
  readonly #most: number;
  readonly #now: () => number;
  readonly #entries = new Map<
    string,
    { readonly since: number; readonly value: Promise<T | null> }
  >();

  constructor(
    lookUp: (key: string) => Promise<T | null>,
    options: { readonly forMs: number; readonly most: number; readonly now: () => number },
  ) {
    this.#lookUp = lookUp;
    this.#forMs = options.forMs;
    this.#most = options.most;
    this.#now = options.now;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Promise<T | null> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#now() - known.since < this.#forMs) return known.value;
    const entry = { since: this.#now(), value: this.#lookUp(key) };
    this.forget(key);
    this.#entries.set(key, entry);
    this.#evict();
    const drop = (): void => {
      if (this.#entries.get(key) === entry) this.forget(key);
    };
    entry.value.then((value) => {
      if (value === null) drop();
    }, drop);
    return entry.value;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /**
   * Also forgets lookups in progress: they may have started before the change, so no new caller may
   * join them.
   */
  forgetAll(): void {
    this.#entries.clear();
  }

  #evict(): void {
    // A map keeps insertion order, so the first entry is the oldest.
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) return;
      this.forget(oldest);
    }
  }
}
