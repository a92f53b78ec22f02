/**
 * One step in the schema's history. Migrations only go forward, and have the same effect on both
 * databases.
 */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}
