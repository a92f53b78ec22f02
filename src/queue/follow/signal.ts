/** Wakes everything that waits for a change; each waiter checks for itself what changed. */
export class Signal {
  #next: PromiseWithResolvers<void> | null = null;

  wait(): Promise<void> {
    this.#next ??= Promise.withResolvers<void>();
    return this.#next.promise;
  }

  fire(): void {
    this.#next?.resolve();
    this.#next = null;
  }
}
