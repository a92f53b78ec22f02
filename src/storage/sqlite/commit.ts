import { operation } from '../operations/registry.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { toBatonError } from './errors.ts';
import { type Call, type Reply, toPlain } from './protocol.ts';

/** Longer commits would delay the renewal of leases. */
const COMMIT_MS = 1000;

/**
 * Calls that wait at the same time share one commit (and so one fsync). Each call has its own
 * savepoint, so a call that fails does not undo the others. Returns the replies to those calls that
 * fit into COMMIT_MS, at least one; the caller commits the others next. `check` throws if nothing
 * may be written.
 */
export function commitTogether(
  connection: Connection,
  path: string,
  calls: readonly Call[],
  check: () => void = () => {},
): Reply[] {
  try {
    check();
    connection.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    const replies: Reply[] = [];
    for (const call of calls) {
      replies.push(inSavepoint(connection, path, call));
      if (performance.now() - began > COMMIT_MS) break;
    }
    connection.exec('COMMIT');
    return replies;
  } catch (error) {
    rollBack(connection);
    const plain = toPlain(toBatonError(error, path));
    return calls.map(({ id }) => ({ id, error: plain }));
  }
}

function inSavepoint(connection: Connection, path: string, call: Call): Reply {
  const clock = (): number => call.now ?? Date.now();
  connection.exec('SAVEPOINT one');
  try {
    const done = connection.run(operation(call.write, sqliteDialect(connection, clock), clock()));
    connection.exec('RELEASE one');
    return { id: call.id, done };
  } catch (error) {
    undo(connection, error);
    return { id: call.id, error: toPlain(toBatonError(error, path)) };
  }
}

/**
 * A full disk may have rolled back the whole transaction. In that case there is nothing left to
 * commit. All calls then fail with the error that caused the rollback, not with an error about a
 * missing savepoint, because callers retry after a full disk.
 */
function undo(connection: Connection, cause: unknown): void {
  try {
    connection.exec('ROLLBACK TO one; RELEASE one');
  } catch {
    throw cause;
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite had already rolled back.
  }
}
