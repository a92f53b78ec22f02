/*
 * Operations are generator functions that yield statements and receive the rows. SQLite runs them
 * synchronously on its writer thread, and PostgreSQL awaits each statement, so a rule that needs
 * several statements is written once for both. An operation must not wait for anything else.
 */

export interface Statement {
  /** Placeholders are $1, $2 … in both databases. */
  readonly text: string;
  readonly values: readonly Value[];
  /** A name lets PostgreSQL prepare the statement once per connection. */
  readonly name?: string;
}

export type Value = string | number | null | readonly (string | number | null)[];
export type Row = Readonly<Record<string, unknown>>;
export type Op<T> = Generator<Statement, T, readonly Row[]>;

/** Yields one statement and returns its rows. */
export function* query<R extends object = Row>(
  text: string,
  values: readonly Value[] = [],
  name?: string,
): Op<readonly R[]> {
  const rows = yield name === undefined ? { text, values } : { text, values, name };
  return rows as unknown as readonly R[];
}

export function* queryOne<R extends object = Row>(
  text: string,
  values: readonly Value[] = [],
): Op<R | null> {
  return (yield* query<R>(text, values))[0] ?? null;
}
