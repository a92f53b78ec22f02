/** A broken invariant. `invariant` names it; the message describes the violation. */
export class Broken extends Error {
  readonly invariant: string;
  override readonly name = 'Broken';

  constructor(invariant: string, seen: string) {
    super(`${invariant}: ${seen}`);
    this.invariant = invariant;
  }
}

export function must(holds: boolean, invariant: string, seen: () => string): asserts holds {
  if (!holds) throw new Broken(invariant, seen());
}
