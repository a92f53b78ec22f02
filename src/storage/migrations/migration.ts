/** One step of the schema, forward only, with the same effect on both databases. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}
