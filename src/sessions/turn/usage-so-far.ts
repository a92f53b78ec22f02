import type { Usage } from '../../agents/driver.ts';

/**
 * Stores what an agent has used while it works, so that it counts even if this process dies (A5).
 * One write at a time, of the newest figures; nothing waits for it but the end.
 */
export class UsageSoFar {
  readonly #store: (usage: Usage) => Promise<unknown>;
  #next: Usage | null = null;
  #writing: Promise<void> | null = null;

  constructor(store: (usage: Usage) => Promise<unknown>) {
    this.#store = store;
  }

  put(usage: Usage): void {
    this.#next = usage;
    this.#writing ??= this.#write();
  }

  /** Nothing is written any more. */
  async close(): Promise<void> {
    this.#next = null;
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#next !== null) {
      const usage = this.#next;
      this.#next = null;
      // What it has used is stored again with its end.
      await this.#store(usage).catch(() => {});
    }
    this.#writing = null;
  }
}
