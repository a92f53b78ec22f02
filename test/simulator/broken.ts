/** An invariant that does not hold. `invariant` names it; the message says what was seen. */
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
