/** Wakes everybody who waits for a change; whoever waits looks for itself what it was. */
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
