/** When tokens were used is told to the database in batches, and of each at most once a minute. */
const BATCH_MS = 1000;
const AGAIN_MS = 60_000;

export class TokenUses {
  readonly #tell: (ids: readonly string[]) => Promise<void>;
  readonly #now: () => number;
  readonly #told = new Map<string, number>();
  #used = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(tell: (ids: readonly string[]) => Promise<void>, now: () => number) {
    this.#tell = tell;
    this.#now = now;
  }

  note(id: string): void {
    const told = this.#told.get(id);
    if (this.#used.has(id) || (told !== undefined && this.#now() - told < AGAIN_MS)) return;
    this.#used.add(id);
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS).unref();
  }

  /** Never rejects: one use less in a list is no reason to refuse anybody. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const ids = [...this.#used];
    this.#used = new Set();
    if (ids.length === 0) return;
    const now = this.#now();
    for (const [id, told] of this.#told) if (now - told >= AGAIN_MS) this.#told.delete(id);
    for (const id of ids) this.#told.set(id, now);
    await this.#tell(ids).catch(() => {});
  }
}
