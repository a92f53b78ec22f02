/**
 * Runs a job on demand, never twice at once. However often it is triggered before it begins, it
 * runs once; triggered while it runs, it runs once more. The job handles its own errors.
 */
export class Coalescer {
  readonly #job: () => Promise<void>;
  #wanted = false;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(job: () => Promise<void>) {
    this.#job = job;
  }

  trigger(): void {
    this.#wanted = true;
    if (!this.#stopped) this.#running ??= this.#run();
  }

  /** No new run; resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#wanted && !this.#stopped) {
      // Begun in the next turn of the loop: triggers that come together count as one.
      await new Promise(setImmediate);
      this.#wanted = false;
      if (!this.#stopped) await this.#job();
    }
    this.#running = null;
  }
}
