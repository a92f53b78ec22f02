import { operation } from '../operations/registry.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { toBatonError } from './errors.ts';
import { type Call, type Reply, toPlain } from './protocol.ts';

/**
 * Calls that wait together share one commit (and so one fsync); each is in a savepoint of its own,
 * so that one that fails takes nothing with it. `check` throws if nothing must be written.
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
    const replies = calls.map((call) => inSavepoint(connection, path, call));
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
    const done = connection.run(
      operation(call.name, sqliteDialect(connection, clock), clock(), call.rest),
    );
    connection.exec('RELEASE one');
    return { id: call.id, done };
  } catch (error) {
    undo(connection, error);
    return { id: call.id, error: toPlain(toBatonError(error, path)) };
  }
}

/**
 * A full disk may have ended the whole transaction; then nobody's work is there to commit, and all
 * are told why, not that the savepoint is gone: after a full disk they try again.
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
    // SQLite had rolled back by itself.
  }
}
