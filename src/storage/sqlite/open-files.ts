import { statSync } from 'node:fs';
import { BatonError } from '../../contract/errors.ts';

/**
 * The files of an open database. One that was removed or replaced is still written to, and all of
 * that is gone when it is closed; so who is about to write asks here first. Costs 5 µs.
 */
export class OpenFiles {
  readonly #path: string;
  /** What the write-ahead log is made with stays until the last connection is closed. */
  readonly #known = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
    this.areThere();
  }

  /** False if a file is not the one that is open. Becomes true again if it was moved back. */
  areThere(): boolean {
    return [this.#path, `${this.#path}-wal`].every((path) => this.#isSame(path));
  }

  /** Throws `database_replaced`. */
  check(): void {
    if (this.areThere()) return;
    const message = `${this.#path} or its write-ahead log was removed or replaced while the server was running. Nothing is written any more. Move the files back; if that is not possible, stop the server and restore a backup.`;
    throw new BatonError('database_replaced', message, { details: { path: this.#path } });
  }

  #isSame(path: string): boolean {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    const now = found === undefined ? null : `${found.dev}:${found.ino}`;
    const known = this.#known.get(path);
    if (known === undefined && now !== null) this.#known.set(path, now);
    return known === undefined || known === now;
  }
}
