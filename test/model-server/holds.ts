/** Steps that wait for a test, by name. */
export class Holds {
  readonly #named = new Map<
    string,
    { arrived: PromiseWithResolvers<void>; free: PromiseWithResolvers<void> }
  >();

  /** Called by the step: announces its arrival and waits. */
  async wait(name: string): Promise<void> {
    const { arrived, free } = this.#of(name);
    arrived.resolve();
    await free.promise;
  }

  /** Called by the test: resolves when a step waits under this name. */
  arrived(name: string): Promise<void> {
    return this.#of(name).arrived.promise;
  }

  release(name: string): void {
    this.#of(name).free.resolve();
  }

  releaseAll(): void {
    for (const name of this.#named.keys()) this.release(name);
  }

  #of(name: string) {
    const there = this.#named.get(name);
    if (there !== undefined) return there;
    const made = {
      arrived: Promise.withResolvers<void>(),
      free: Promise.withResolvers<void>(),
    };
    this.#named.set(name, made);
    return made;
  }
}
