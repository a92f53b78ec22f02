const BATCH_MS = 1000;
const AGAIN_MS = 60_000;

/** Records when tokens were used, in batches, and for each token at most once a minute. */
export class TokenUses {
  readonly #record: (ids: readonly string[]) => Promise<void>;
  readonly #now: () => number;
  readonly #recorded = new Map<string, number>();
  #used = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(record: (ids: readonly string[]) => Promise<void>, now: () => number) {
    this.#record = record;
    this.#now = now;
  }

  note(id: string): void {
    const at = this.#recorded.get(id);
    if (this.#used.has(id) || (at !== undefined && this.#now() - at < AGAIN_MS)) return;
    this.#used.add(id);
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS).unref();
  }

  /** Never rejects: a missing record is no reason to refuse a request. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    const ids = [...this.#used];
    this.#used = new Set();
    if (ids.length === 0) return;
    const now = this.#now();
    for (const [id, at] of this.#recorded) if (now - at >= AGAIN_MS) this.#recorded.delete(id);
    for (const id of ids) this.#recorded.set(id, now);
    await this.#record(ids).catch(() => {});
  }
}
