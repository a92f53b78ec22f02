import type { Usage } from '../../agents/driver.ts';

/**
 * Stores an agent's usage while it works, so that it is counted even if this process dies (A5).
 * Writes the newest figures, one write at a time; only the end of the turn waits for these writes.
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

  /** Writes nothing more; resolves when the write in progress is done. */
  async close(): Promise<void> {
    this.#next = null;
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#next !== null) {
      const usage = this.#next;
      this.#next = null;
      // The usage is stored again when the agent exits.
      await this.#store(usage).catch(() => {});
    }
    this.#writing = null;
  }
}
