/** What was asked to be changed, for whoever reads the audit log afterwards. */
export interface Change {
  readonly action: string;
  readonly target: string;
  /** How many lines there may be, and must. */
  most: number;
  least: number;
}

export class Changes {
  readonly #all = new Map<string, Change>();

  get all(): readonly Change[] {
    return [...this.#all.values()];
  }

  /** Before it is asked. What was so already is answered, too, but is no change and has no line. */
  tried(action: string, target: string): void {
    this.#of(action, target).most++;
  }

  /** It was answered, and cannot have been so before the first try. */
  changed(action: string, target: string): void {
    this.#of(action, target).least = 1;
  }

  /** However often it was asked. */
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
