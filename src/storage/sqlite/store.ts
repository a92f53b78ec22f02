import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BatonError } from '../../contract/errors.ts';
import type { Clock, Hint, Store } from '../../queue/store.ts';
import { readRun } from '../operations/load.ts';
import { listExpired, poll } from '../operations/nodes.ts';
import {
  counts,
  getLane,
  lastSeqs,
  list,
  listAfter,
  listAfterEach,
  listNodes,
  listQueued,
  unhandledTypes,
} from '../operations/reads.ts';
import { dueSchedules, getSchedule, listSchedules } from '../operations/schedules.ts';
import type { Op } from '../statement.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { toBatonError } from './errors.ts';
import { Writer } from './writer.ts';

export interface SqliteOptions {
  /** The database file; made if it is not there. */
  readonly path: string;
  readonly clock?: Clock;
}

/**
 * The embedded store: writes on a thread of its own, reads on a read-only connection here. Reads see
 * every commit that was answered.
 */
export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  const path = resolve(options.path);
  makeFile(path);
  const listeners = new Set<(hint: Hint) => void>();
  const tell = (hint: Hint): void => {
    for (const listener of listeners) listener(hint);
  };
  const writer = await Writer.open(path, options.clock, tell);
  const connection = new Connection(path, { readOnly: true });
  const dialect = sqliteDialect(connection, options.clock ?? Date.now);
  let closing: Promise<void> | null = null;

  // async, so that a failing read is a rejected promise like that of every other store.
  const read = async <T>(op: Op<T>): Promise<T> => {
    if (closing !== null) throw new BatonError('closed');
    try {
      return connection.run(op);
    } catch (error) {
      throw toBatonError(error, path);
    }
  };
  const close = async (): Promise<void> => {
    // The reader first: the last to close folds the write-ahead log into the file, and only a
    // writer can.
    connection.close();
    await writer.close();
  };

  return {
    enqueue: (admissions) => writer.call('enqueue', admissions),
    claim: (request) => writer.call('claim', request),
    write: (writes) => writer.call('write', writes),
    change: (command) => writer.call('change', command),
    purge: (request) => writer.call('purge', request),
    join: (node, leaseMs) => writer.call('join', node, leaseMs),
    renew: (nodeId, leaseMs) => writer.call('renew', nodeId, leaseMs),
    leave: (nodeId) => writer.call('leave', nodeId),
    async reap(provenDead) {
      const dead = new Set([...provenDead, ...(await read(listExpired(dialect)))]);
      const reaped = await Promise.all([...dead].map((node) => writer.call('takeOver', node)));
      return reaped.flat();
    },
    keepLease: (nodeId, keep) => writer.keepLease(nodeId, keep),
    get: (id) => read(readRun(id)),
    getLane: (id) => read(getLane(dialect, id)),
    list: (filter) => read(list(dialect, filter)),
    listQueued: (lane, limit) => read(listQueued(dialect, lane, limit)),
    counts: () => read(counts(dialect)),
    listAfter: (lane, after, limit, runId) => read(listAfter(dialect, lane, after, limit, runId)),
    listAfterEach: (cursors) => read(listAfterEach(dialect, cursors)),
    lastSeqs: (lanes) => read(lastSeqs(dialect, lanes)),
    listNodes: () => read(listNodes(dialect)),
    poll: (nodeId) => read(poll(dialect, nodeId)),
    unhandledTypes: () => read(unhandledTypes(dialect)),
    putSchedule: (schedule, expected) => writer.call('putSchedule', schedule, expected),
    removeSchedule: (id) => writer.call('removeSchedule', id),
    fireSchedule: (firing) => writer.call('fireSchedule', firing),
    getSchedule: (id) => read(getSchedule(dialect, id)),
    listSchedules: (filter) => read(listSchedules(dialect, filter)),
    dueSchedules: (page) => read(dueSchedules(dialect, page)),
    time: () => read(dialect.readTime()),
    onHint(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** For its owner only, whatever the directory allows; SQLite gives its side files the same mode. */
function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new BatonError(
      'database_read_only',
      `${path} cannot be made or written. Check the permissions of the file and its directory, or name another.`,
      { cause: error, details: { path } },
    );
  }
}
