import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BatonError } from '../../contract/errors.ts';
import type { Hint } from '../../queue/hint.ts';
import type { Clock } from '../../queue/store.ts';
import { type BatonStore, batonStoreOver, type Engine } from '../operations/baton-store.ts';
import type { Op } from '../statement.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { toBatonError } from './errors.ts';
import { OpenFiles } from './open-files.ts';
import { Writer, type WriterThread } from './writer.ts';

export interface SqliteOptions {
  /** The database file; created if missing. */
  readonly path: string;
  readonly clock?: Clock;
  /**
   * Starts the thread that the writer runs on. The default is a worker thread, which takes 0.1 s of
   * CPU time to start.
   */
  readonly startThread?: (path: string) => WriterThread;
}

/** `isThere` is false if the file was removed or replaced; then nothing is written. */
export type SqliteStore = BatonStore & { isThere(): boolean };

/**
 * The embedded store. A separate thread writes; this thread reads, on a read-only connection. Reads
 * see every write that was acknowledged.
 */
export async function sqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const path = resolve(options.path);
  makeFile(path);
  const hints = new Set<(hint: Hint) => void>();
  const notify = (hint: Hint): void => {
    for (const listener of hints) listener(hint);
  };
  const writer = await Writer.open(path, options.clock, notify, options.startThread);
  const connection = new Connection(path, { readOnly: true });
  const dialect = sqliteDialect(connection, options.clock ?? Date.now);
  let closing: Promise<void> | null = null;

  // Declared async so that a failing read rejects instead of throwing, as in every other store.
  const read = async <T>(op: Op<T>): Promise<T> => {
    if (closing !== null) throw new BatonError('closed');
    try {
      return connection.run(op);
    } catch (error) {
      throw toBatonError(error, path);
    }
  };
  const close = async (): Promise<void> => {
    // The reader is closed first: the last connection to close moves the write-ahead log into the
    // file, which only a writer can do.
    connection.close();
    await writer.close();
  };

  const engine: Engine = {
    dialect,
    hints,
    call: (write) => writer.call(write),
    read,
    keepLease: (nodeId, keep) => writer.keepLease(nodeId, keep),
    close() {
      closing ??= close();
      return closing;
    },
  };
  const files = new OpenFiles(path);
  return { ...batonStoreOver(engine), isThere: () => files.areThere() };
}

/**
 * Creates the file so that only its owner can read it, whatever the directory allows; SQLite gives
 * its side files the same mode.
 */
function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new BatonError(
      'database_read_only',
      `${path} cannot be created or written. Check the permissions of the file and its directory, or choose another file.`,
      { cause: error, details: { path } },
    );
  }
}
