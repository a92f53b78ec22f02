import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Op, Row, Statement } from '../statement.ts';
import { toBatonError } from './errors.ts';

/** One connection to the database file; runs operations on it synchronously. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: { readOnly: boolean }) {
    try {
      this.#database = new DatabaseSync(path, { readOnly: options.readOnly });
      // FULL, so that an acknowledged commit survives a power failure, not just the death of the
      // process.
      this.#database.exec(
        'PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY',
      );
      if (!options.readOnly) this.#database.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      throw toBatonError(error, path);
    }
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  run<T>(op: Op<T>): T {
    let step = op.next();
    while (step.done !== true) {
      let rows: readonly Row[];
      try {
        rows = this.query(step.value);
      } catch (error) {
        step = op.throw(error);
        continue;
      }
      step = op.next(rows);
    }
    return step.value;
  }

  query({ text, values }: Statement): readonly Row[] {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'));
      this.#statements.set(text, statement);
    }
    return statement.all(...(values as SQLInputValue[])) as Row[];
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}
