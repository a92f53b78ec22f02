/**
 * Runs a job on demand, never twice at once. However many triggers arrive before the job starts, it
 * runs once; however many arrive while it runs, it runs once more. The job handles its own errors.
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

  /** Prevents further runs; resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#wanted && !this.#stopped) {
      // Starts in the next turn of the event loop, so triggers that arrive together count as one.
      await new Promise(setImmediate);
      this.#wanted = false;
      if (!this.#stopped) await this.#job();
    }
    this.#running = null;
  }
}
