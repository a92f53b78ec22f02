import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { temporaryDirectory } from '../../../../test/support/processes.ts';
import type { Reconciled } from '../../../sessions/session-store.ts';
import { makePool } from '../../postgres/connect.ts';
import { postgresDialect } from '../../postgres/dialect.ts';
import { migrate as migratePostgres } from '../../postgres/migrate.ts';
import { inTransaction } from '../../postgres/run.ts';
import { Connection } from '../../sqlite/connection.ts';
import { sqliteDialect } from '../../sqlite/dialect.ts';
import { migrate as migrateSqlite } from '../../sqlite/migrate.ts';
import { type Op, query, type Statement } from '../../statement.ts';
import type { Dialect, Done } from '../dialect.ts';
import { reconcileSessions } from './reconcile.ts';

/*
 * [S6] What a reconcile pass over ten thousand sessions costs: how many statements, and what they read.
 */

const NOW = Date.UTC(2026, 0, 1);
const SESSIONS = 10_000;
const LATER = NOW + 1_000_000;

const fill = (first: number, last: number, columns: string): string[] => {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`;
  return [
    `${numbers} INSERT INTO lanes SELECT 's' || i, 'ann', '', 0, 1, 1, 'idle', 0, NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL, 1024, 0, 1 FROM n`,
    `${numbers} INSERT INTO sessions (id, owner, name, description, tags, labels, agent, workspace, isolation, template_config, idle_timeout_s,
       status_reason, last_active_at, cost_usd, last_connections, created_at, updated_at, status, ready_at, idle_since, destroy_at)
     SELECT 's' || i, 'ann', 'n' || i, '', '[]', '[]', '{}', '{}', 'none', 'null', 60, 'asked', 0, 0, 0, 0, 0, ${columns} FROM n`,
  ];
};
const idle = (destroyAt: number): string => `'IDLE', 1, 1, ${destroyAt}`;
const QUIET = `'ACTIVE', 1, NULL, NULL`;

/** Ten thousand sessions without changes, three that became quiet, two that have expired. */
const CALM = [
  ...fill(1, SESSIONS, idle(LATER)),
  ...fill(SESSIONS + 1, SESSIONS + 3, QUIET),
  ...fill(SESSIONS + 4, SESSIONS + 5, idle(NOW)),
];

/** Records the statements of an operation. */
function* recorded<T>(op: Op<T>, statements: Statement[]): Op<T> {
  let step = op.next();
  while (step.done !== true) {
    statements.push(step.value);
    step = op.next(yield step.value);
  }
  return step.value;
}

const check = ({ value }: Done<Reconciled>): void => {
  expect(value.changes.map(({ to }) => to).sort()).toEqual([
    ...Array.from({ length: 3 }, () => 'IDLE'),
    ...Array.from({ length: 2 }, () => 'TERMINATED'),
  ]);
  expect(value).toMatchObject({ more: false });
};

describe('SQLite', () => {
  test('[S6] a pass over 10,000 sessions is a few statements that read no table in full', () => {
    const connection = new Connection(join(temporaryDirectory(), 'q.db'), { readOnly: false });
    migrateSqlite(connection);
    for (const text of CALM) connection.exec(text);
    const statements: Statement[] = [];
    const reconcile = (): Op<Done<Reconciled>> =>
      reconcileSessions(
        sqliteDialect(connection, () => NOW),
        NOW,
        100,
      );
    check(connection.run(recorded(reconcile(), statements)));
    // Two more reads per changed session, and three writes: nothing goes over a network.
    expect(statements.length).toBeLessThan(10 + 5 * 5);
    for (const { text, values } of statements) {
      const plan = connection.query({ text: `EXPLAIN QUERY PLAN ${text}`, values });
      const whole = plan
        .map(({ detail }) => String(detail))
        .filter((detail) => /^SCAN (s|sessions|l|lanes|r|runs)\b/.test(detail))
        .filter((detail) => !detail.includes('INDEX sessions_last_connections'));
      expect(whole, text).toEqual([]);
    }
    const again: Statement[] = [];
    connection.run(recorded(reconcile(), again));
    expect(again.length).toBeLessThan(8);
    connection.close();
  });
});

describe('PostgreSQL', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof makePool>;
  beforeAll(async () => {
    database = await createDatabase();
    const target = { url: database.url, schema: 'baton' };
    await migratePostgres(target);
    pool = makePool(target, 1);
    for (const text of [...CALM, 'ANALYZE']) await pool.query(text);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  const dialect: Dialect = postgresDialect(() => NOW);

  interface Touched {
    readonly relname: string;
    readonly whole: number;
    readonly rows: number;
  }

  /** Reconciles, and asks the server what this transaction has read. */
  const reconcile = (
    now: number,
    limit: number,
  ): Promise<{ done: Done<Reconciled>; count: number; touched: Map<string, Touched> }> =>
    inTransaction(
      pool,
      () => now,
      function* () {
        const statements: Statement[] = [];
        const done = yield* recorded(reconcileSessions(dialect, now, limit), statements);
        const rows = yield* query<Touched>(
          `SELECT relname, seq_scan AS whole, seq_tup_read + coalesce(idx_tup_fetch, 0) AS rows
           FROM pg_stat_xact_user_tables WHERE schemaname = 'baton'`,
        );
        const touched = new Map(rows.map((row) => [row.relname, row]));
        return { done, count: statements.length, touched };
      },
    );

  test('[S6] a pass over 10,000 sessions is a few statements that read only what is due', async () => {
    const { done, count, touched } = await reconcile(NOW, 100);
    check(done);
    expect(count).toBeLessThan(10);
    for (const table of ['sessions', 'lanes', 'runs']) {
      expect(touched.get(table), table).toMatchObject({ whole: 0 });
    }
    expect(touched.get('sessions')?.rows).toBeGreaterThanOrEqual(5);
    expect(touched.get('sessions')?.rows).toBeLessThan(100);
    expect(touched.get('lanes')?.rows).toBeLessThan(100);
  });

  test('[S6] reconciling a thousand sessions takes as many statements as reconciling five', async () => {
    const few = await reconcile(NOW, 100);
    expect(few.done.value.changes).toEqual([]);
    const { done, count } = await reconcile(LATER, 1000);
    expect(done.value).toMatchObject({ more: true });
    expect(done.value.changes).toHaveLength(1000);
    expect(count).toBeLessThan(10);
  });
});
