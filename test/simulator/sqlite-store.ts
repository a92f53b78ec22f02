import { BatonError } from '../../src/contract/errors.ts';
import type { Hint } from '../../src/queue/hint.ts';
import type { Clock } from '../../src/queue/store.ts';
import { batonStoreOver } from '../../src/storage/operations/baton-store.ts';
import { committedValue } from '../../src/storage/operations/dialect.ts';
import type { Answer, WriteCall, WriteName } from '../../src/storage/operations/registry.ts';
import { commitTogether } from '../../src/storage/sqlite/commit.ts';
import { Connection } from '../../src/storage/sqlite/connection.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { toBatonError } from '../../src/storage/sqlite/errors.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';
import { fromPlain } from '../../src/storage/sqlite/protocol.ts';
import type { Op, Row, Statement } from '../../src/storage/statement.ts';
import type { SimStore, StoreMaker } from './sim-store.ts';

const PATH = ':memory:';
const DISK_FULL = 13;

/** The product's connection, with any statement made to fail on demand. */
export class FaultyConnection extends Connection {
  /** Rewrites a statement before it is prepared, to plant a bug. */
  rewrite: (text: string) => string = (text) => text;
  #left: number | null = null;
  #ends = false;
  /** A transaction is open. */
  #open = false;
  #failAfterCommit = false;
  #committed = false;
  #undone = false;

  arm(at: number | 'after_commit'): void {
    this.#committed = false;
    this.#undone = false;
    this.#failAfterCommit = at === 'after_commit';
    this.#left = at === 'after_commit' ? null : at;
    // Some failures make SQLite roll back the whole transaction, others only the statement.
    this.#ends = at !== 'after_commit' && at % 2 === 0;
  }

  disarm(): boolean {
    this.#left = null;
    this.#failAfterCommit = false;
    return this.#committed && !this.#undone;
  }

  override exec(text: string): void {
    const commits = text === 'COMMIT';
    if (commits || text === 'RELEASE one') this.#tick();
    if (text.startsWith('ROLLBACK') && !this.#committed) this.#undone = true;
    super.exec(text);
    if (text === 'BEGIN IMMEDIATE') this.#open = true;
    if (commits || text === 'ROLLBACK') this.#open = false;
    if (!commits) return;
    this.#committed = true;
    if (!this.#failAfterCommit) return;
    this.#failAfterCommit = false;
    throw new BatonError('database_unreachable', 'The answer was lost after the commit.');
  }

  override query({ text, values }: Statement): readonly Row[] {
    this.#tick();
    return super.query({ text: this.rewrite(text), values });
  }

  #tick(): void {
    if (this.#left === null || --this.#left > 0) return;
    this.#left = null;
    if (this.#ends && this.#open) super.exec('ROLLBACK');
    throw Object.assign(new Error('database or disk is full'), { errcode: DISK_FULL });
  }
}

/**
 * The product's operations and commits on an in-memory database, without the thread. One connection
 * serves all stories, because creating the schema costs more than a story.
 */
export function sqliteMaker(rewrite?: (text: string) => string): StoreMaker {
  const connection = new FaultyConnection(PATH, { readOnly: false });
  if (rewrite !== undefined) connection.rewrite = rewrite;
  migrate(connection);
  return (clock) => {
    connection.exec(
      `DELETE FROM nodes; DELETE FROM lanes; DELETE FROM runs; DELETE FROM events;
       DELETE FROM claim_cursors; DELETE FROM claim_turns; UPDATE fences SET last = 0; UPDATE run_counts SET n = 0`,
    );
    return simulated(connection, clock);
  };
}

function simulated(connection: FaultyConnection, clock: Clock): SimStore {
  const listeners = new Set<(hint: Hint) => void>();
  const dialect = sqliteDialect(connection, clock);
  const read = async <T>(op: Op<T>): Promise<T> => {
    try {
      return connection.run(op);
    } catch (error) {
      throw toBatonError(error, PATH);
    }
  };
  const call = async <N extends WriteName>(write: WriteCall<N>): Promise<Answer<N>> => {
    const [reply] = commitTogether(connection, PATH, [{ id: 0, write, now: clock() }]);
    if (reply === undefined || 'error' in reply) throw fromPlain(reply!.error);
    for (const listener of listeners) listener(reply.done.hint);
    return committedValue(reply.done) as Answer<N>;
  };
  const store = batonStoreOver({
    dialect,
    hints: listeners,
    call,
    read,
    keepLease: () => {
      throw new Error('leases are renewed by the simulated workers');
    },
    close: async () => {},
  });
  return {
    store,
    calls: 0,
    lost: 0,
    arm: (at) => connection.arm(at),
    disarm: () => connection.disarm(),
  };
}
