/** The committed requests, recorded independently of the store. */
export class Record {
  /** Runs that must exist. */
  readonly runs = new Map<string, { readonly lane: string; payload: unknown }>();
  /** Every lane that ever existed. */
  readonly lanes = new Set<string>();
  /** Lanes that got a run since the last check. */
  readonly named = new Set<string>();
  /** Runs that join at the head of their lane. */
  readonly heads = new Set<string>();
  /** Moves of queued runs that the log has not shown yet. */
  readonly moves: { readonly run: string; readonly before: string | null }[] = [];
  /** Runs removed by `remove`. */
  readonly removed = new Set<string>();
  /** Numbers of the events whose write was applied. */
  readonly written = new Set<number>();
  readonly #keys = new Map<string, string>();

  admit(
    id: string,
    lane: string,
    payload: unknown,
    options: { head: boolean; key?: string },
  ): void {
    this.runs.set(id, { lane, payload });
    this.lanes.add(lane);
    this.named.add(lane);
    if (options.head) this.heads.add(id);
    if (options.key !== undefined) this.#keys.set(options.key, id);
  }

  knows(key: string): boolean {
    return this.#keys.has(key);
  }

  remove(id: string): void {
    this.runs.delete(id);
    this.removed.add(id);
    for (const [key, run] of this.#keys) if (run === id) this.#keys.delete(key);
  }
}
