import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { BatonError } from '../../contract/errors.ts';
import { toBatonError } from './errors.ts';

/** How long a second process waits for the first to exit (as in a restart) before it gives up. */
const WAIT_MS = 5000;

/**
 * Reserves a database file for one process. The lock is the write lock on a small SQLite file
 * beside the database: the file stays open, and the system releases the lock when the process
 * exits, however it dies. The file's only row names the holder, and other processes can still read
 * that row.
 */
export async function lockFile(path: string): Promise<() => void> {
  const file = `${path}.lock`;
  let database: DatabaseSync;
  try {
    makePrivate(file);
    database = new DatabaseSync(file);
  } catch (error) {
    throw toBatonError(error, file);
  }
  const token = `${process.pid}.${process.hrtime.bigint()}`;
  const deadline = performance.now() + WAIT_MS;
  while (!tryLock(database, token, file)) {
    if (performance.now() > deadline) {
      const holder = readHolder(database);
      database.close();
      const who =
        holder === null
          ? 'Another process'
          : `Process ${holder.pid} (running since ${holder.since})`;
      throw new BatonError(
        'data_in_use',
        `${who} is using ${path}. Only one process at a time can use the embedded database. Stop that process, or use another data directory.`,
        { details: { path, ...holder } },
      );
    }
    await delay(50);
  }
  let held = true;
  return () => {
    if (held) database.close();
    held = false;
  };
}

/**
 * Accessible only to its owner, like the database. If the file exists, it is not opened, because
 * closing it would release the lock if this process holds it.
 */
function makePrivate(file: string): void {
  try {
    if (existsSync(file)) chmodSync(file, 0o600);
    else closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // If the file cannot be used, SQLite will report it.
  }
}

/**
 * True if the write lock is now ours. Writing the holder's row requires a commit, so the lock is
 * taken twice.
 */
function tryLock(database: DatabaseSync, token: string, file: string): boolean {
  try {
    database.exec('BEGIN IMMEDIATE');
    database.exec('CREATE TABLE IF NOT EXISTS holder (token TEXT, pid INTEGER, since TEXT)');
    database.exec('DELETE FROM holder');
    database
      .prepare('INSERT INTO holder VALUES (?, ?, ?)')
      .run(token, process.pid, new Date().toISOString());
    database.exec('COMMIT; BEGIN IMMEDIATE');
    if (database.prepare('SELECT token FROM holder').get()?.['token'] === token) return true;
    // Another process took the lock in between.
    database.exec('ROLLBACK');
    return false;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    const mapped = toBatonError(error, file);
    if (mapped instanceof BatonError && mapped.code === 'data_in_use') return false;
    throw mapped;
  }
}

function readHolder(database: DatabaseSync): { pid: number; since: string } | null {
  try {
    const row = database.prepare('SELECT pid, since FROM holder').get();
    return row === undefined ? null : { pid: Number(row['pid']), since: String(row['since']) };
  } catch {
    return null;
  }
}
