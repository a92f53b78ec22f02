/**
 * What was looked up a moment ago, by key. Those who ask at the same time share one look; only what
 * was found is remembered, for at most `forMs`, and no more than `most` of it.
 */
export class LookupCache<T> {
  readonly #look: (key: string) => Promise<T | null>;
  readonly #forMs: number;
  readonly #most: number;
  readonly #now: () => number;
  readonly #entries = new Map<
    string,
    { readonly since: number; readonly value: Promise<T | null> }
  >();

  constructor(
    look: (key: string) => Promise<T | null>,
    options: { readonly forMs: number; readonly most: number; readonly now: () => number },
  ) {
    this.#look = look;
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
    const entry = { since: this.#now(), value: this.#look(key) };
    this.forget(key);
    this.#entries.set(key, entry);
    this.#evict();
    const drop = (): void => {
      if (this.#entries.get(key) === entry) this.forget(key);
    };
    entry.value.then((found) => {
      if (found === null) drop();
    }, drop);
    return entry.value;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Also of looks under way: they may have begun before what has changed, and nobody joins them. */
  forgetAll(): void {
    this.#entries.clear();
  }

  #evict(): void {
    // A map keeps the order in which things came: the first is the oldest.
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) return;
      this.forget(oldest);
    }
  }
}
