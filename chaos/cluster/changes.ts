/** A requested change, to be compared with the audit log. */
export interface Change {
  readonly action: string;
  readonly target: string;
  /** The largest and smallest allowed number of audit lines. */
  most: number;
  least: number;
}

export class Changes {
  readonly #all = new Map<string, Change>();

  get all(): readonly Change[] {
    return [...this.#all.values()];
  }

  /**
   * Call before the request. A request that changes nothing also succeeds, but has no audit line.
   */
  tried(action: string, target: string): void {
    this.#of(action, target).most++;
  }

  /** The request succeeded, and the state cannot have been the same before the first attempt. */
  changed(action: string, target: string): void {
    this.#of(action, target).least = 1;
  }

  /** One audit line, however often it was requested. */
  exactlyOnce(action: string, target: string): void {
    Object.assign(this.#of(action, target), { most: 1, least: 1 });
  }

  #of(action: string, target: string): Change {
    const key = `${action} ${target}`;
    const change = this.#all.get(key) ?? { action, target, most: 0, least: 0 };
    this.#all.set(key, change);
    return change;
  }
}
