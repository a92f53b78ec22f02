import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { until } from '../../../test/support/until.ts';
import { newId } from '../../contract/values/ids.ts';
import { newSessionOf } from '../../sessions/conformance/rig.ts';
import type { BatonStore } from '../operations/baton-store.ts';
import { migrate as migratePostgres } from '../postgres/migrate.ts';
import { postgresStore } from '../postgres/store.ts';
import { SESSION_COLUMN_NAMES } from '../session-rows.ts';
import { Connection } from '../sqlite/connection.ts';
import { migrate as migrateSqlite } from '../sqlite/migrate.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { forkColumns } from './0015-fork.ts';
import { MIGRATIONS } from './list.ts';
import type { Migration } from './migration.ts';
import { planMigrations } from './plan.ts';

const later: Migration = {
  id: MIGRATIONS.at(-1)!.id + 1,
  name: 'later',
  sqlite: 'CREATE TABLE later (id TEXT)',
  postgres: 'CREATE TABLE later (id text)',
};
const broken: Migration = {
  ...later,
  sqlite: 'CREATE TABLE half (id TEXT); NONSENSE',
  postgres: 'CREATE TABLE half (id text); NONSENSE',
};

test('[O3] migrations are in the order of their numbers, and each has a name', () => {
  const ids = MIGRATIONS.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  expect(new Set(MIGRATIONS.map(({ name }) => name)).size).toBe(MIGRATIONS.length);
});

test('[O3] migrations of a newer version are refused, by number or by name', () => {
  expect(() => planMigrations([{ id: 99, name: 'x' }])).toThrow(/migration 99 \(x\)/);
  expect(() => planMigrations([{ id: 1, name: 'other' }])).toThrow(/does not know/);
});

describe('SQLite', () => {
  const open = () => new Connection(join(temporaryDirectory(), 'q.db'), { readOnly: false });

  test('[O3] migrating again changes nothing; a later migration is applied alone', () => {
    const connection = open();
    migrateSqlite(connection);
    migrateSqlite(connection);
    migrateSqlite(connection, [...MIGRATIONS, later]);
    const rows = connection.query({ text: 'SELECT id FROM migrations ORDER BY id', values: [] });
    expect(rows.map(({ id }) => id)).toEqual([...MIGRATIONS, later].map(({ id }) => id));
    connection.close();
  });

  test('[O3] a migration that fails leaves nothing behind', () => {
    const connection = open();
    migrateSqlite(connection);
    expect(() => migrateSqlite(connection, [...MIGRATIONS, broken])).toThrow();
    const rows = connection.query({
      text: `SELECT name FROM sqlite_master WHERE name = 'half'`,
      values: [],
    });
    expect(rows).toEqual([]);
    connection.close();
  });

  test('[O3] a newer database is refused and not touched', async () => {
    const path = join(temporaryDirectory(), 'q.db');
    const connection = new Connection(path, { readOnly: false });
    migrateSqlite(connection, [...MIGRATIONS, later]);
    connection.close();
    await expect(sqliteStore({ path })).rejects.toMatchObject({ code: 'database_newer' });
  });
});

describe('PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());
  const applied = async (schema: string): Promise<number[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ id: number }>(
      `SELECT id FROM ${schema}.migrations ORDER BY id`,
    );
    await client.end();
    return rows.map(({ id }) => id);
  };

  test('[O3] nodes that start together migrate once', async () => {
    const target = { url: database.url, schema: 'together' };
    await Promise.all(Array.from({ length: 6 }, () => migratePostgres(target)));
    expect(await applied('together')).toEqual(MIGRATIONS.map(({ id }) => id));
  });

  test('[O3] a migration that fails leaves nothing behind, and the next start continues', async () => {
    const target = { url: database.url, schema: 'failing' };
    await expect(migratePostgres(target, [...MIGRATIONS, broken])).rejects.toMatchObject({
      code: 'database_failed',
    });
    expect(await applied('failing')).toEqual(MIGRATIONS.map(({ id }) => id));
    await migratePostgres(target, [...MIGRATIONS, later]);
    expect(await applied('failing')).toContain(later.id);
  });

  test('[O3] [O5] nodes of the version before renew their leases while a large table gets an index', async () => {
    const target = { url: database.url, schema: 'rolling' };
    await migratePostgres(target, MIGRATIONS.slice(0, 1));
    const clients = await Promise.all(
      [1, 2].map(async () => {
        const options = '-c search_path=rolling -c lock_timeout=1s';
        const client = new pg.Client({ connectionString: database.url, options });
        await client.connect();
        return client;
      }),
    );
    const [writer, node] = clients as [pg.Client, pg.Client];
    // Stands for an index that takes as long as this transaction.
    await writer.query('BEGIN; LOCK TABLE sessions IN ROW EXCLUSIVE MODE');
    const migrated = migratePostgres(target);
    const waiting = `SELECT 1 FROM pg_locks WHERE relation = 'sessions'::regclass AND NOT granted`;
    await until(async () => (await node.query(waiting)).rows.length > 0);
    for (const table of ['nodes', 'lanes', 'runs', 'events'])
      await node.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE; COMMIT`);
    await writer.query('COMMIT');
    await migrated;
    await Promise.all(clients.map((client) => client.end()));
  });

  test('[O3] a newer database is refused', async () => {
    const target = { url: database.url, schema: 'newer' };
    await migratePostgres(target, [...MIGRATIONS, later]);
    await expect(postgresStore(target)).rejects.toMatchObject({ code: 'database_newer' });
  });
});

/** Both schemas must refuse the same invalid statements, whatever the code does. */
describe('the schema itself', () => {
  const lane = (id: string) =>
    `INSERT INTO lanes VALUES ('${id}', '', '', 0, 0, 0, 'idle', 0, NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL, 1024, 0, 1)`;
  const run = (id: string, state: string, position: number) =>
    `INSERT INTO runs (id, lane, owner, type, payload, state, attempts, max_attempts, crashes, position, kept, created_at, updated_at, finished_at, first_seq)
     VALUES ('${id}', 'a', '', 't', '{}', '${state}', 0, 5, 0, ${position}, 0, 0, 0, ${state === 'succeeded' ? '1' : 'NULL'}, 1)`;
  const schedule = (cron: string, at: string, paused: number, nextAt: number) =>
    `INSERT INTO schedules VALUES ('s', ${cron}, 'UTC', ${at}, 't', '{}', NULL, '', 5, ${paused}, ${nextAt}, NULL, NULL, 'v', 0, 0)`;
  const session = (id: string, name: string, status = `'PENDING', NULL, NULL, NULL, NULL`) =>
    `INSERT INTO sessions (id, owner, name, description, tags, labels, agent, workspace, isolation, template_config, idle_timeout_s,
       status_reason, last_active_at, cost_usd, last_connections, created_at, updated_at, status, error, ready_at, idle_since, destroy_at)
     VALUES ('${id}', 'ann', '${name}', '', '[]', '[]', '{}', '{}', 'none', 'null', 60, 'asked', 0, 0, 0, 0, 0, ${status})`;
  const holds = (id: string, conversation: string) =>
    `UPDATE sessions SET conversation = '${conversation}' WHERE id = '${id}'`;
  const user = (id: string, name: string) =>
    `INSERT INTO users (id, name, folded, role, created_at) VALUES ('${id}', '${name}', '${name.toLowerCase()}', 'viewer', 0)`;
  const auditLine = `INSERT INTO audit (at, user_id, channel, credential, address, action, target_kind, target_id)
     VALUES (0, 'ann', 'api', '', '', 'user.create', 'user', 'u1')`;
  const refused: [rule: string, setUp: string[], wrong: string][] = [
    [
      '[Q1] a second begun run in a lane',
      [lane('a'), run('r1', 'running', 1)],
      run('r2', 'dequeued', 2),
    ],
    [
      '[Q1] a run begun while another waits for its retry',
      [lane('a'), run('r1', 'retry_scheduled', 1)],
      run('r2', 'running', 2),
    ],
    ['[Q1] two runs at one position', [lane('a'), run('r1', 'queued', 1)], run('r2', 'queued', 1)],
    [
      '[Q8] a finished run that changes its state',
      [lane('a'), run('r1', 'succeeded', 1)],
      `UPDATE runs SET state = 'queued', finished_at = NULL WHERE id = 'r1'`,
    ],
    [
      '[Q8] a finished state without its time',
      [lane('a'), run('r1', 'running', 1)],
      `UPDATE runs SET state = 'failed' WHERE id = 'r1'`,
    ],
    ['[Q8] a state that does not exist', [lane('a')], run('r1', 'paused', 1)],
    [
      '[Q6] a lane held without a fence',
      [lane('a')],
      `UPDATE lanes SET node_id = 'n' WHERE id = 'a'`,
    ],
    [
      '[Q6] a lane that runs without a node',
      [lane('a')],
      `UPDATE lanes SET state = 'running', run_id = 'r' WHERE id = 'a'`,
    ],
    [
      '[Q10] one idempotency key twice',
      [
        lane('a'),
        run('r1', 'queued', 1),
        run('r2', 'queued', 2),
        `UPDATE runs SET idem_scope = 'a', idem_key = 'k' WHERE id = 'r1'`,
      ],
      `UPDATE runs SET idem_scope = 'a', idem_key = 'k' WHERE id = 'r2'`,
    ],
    [
      '[E1] the same seq twice in one log',
      [`INSERT INTO events VALUES ('a', 1, NULL, NULL, 'x', '{}', 0)`],
      `INSERT INTO events VALUES ('a', 1, NULL, NULL, 'y', '{}', 0)`,
    ],
    [
      '[Q13] a schedule whose next tick has fired',
      [schedule(`'* * * * *'`, 'NULL', 0, 100)],
      `UPDATE schedules SET last_at = next_at WHERE id = 's'`,
    ],
    ['[Q13] a paused schedule with a tick', [], schedule(`'* * * * *'`, 'NULL', 1, 100)],
    ['[Q13] a schedule with two kinds of times', [], schedule(`'* * * * *'`, '100', 0, 100)],
    [
      '[S10] [A3] one conversation in two sessions',
      [session('s1', 'fix'), session('s2', 'other'), holds('s1', 'c')],
      holds('s2', 'c'),
    ],
    ['[S9] one name of an owner twice', [session('s1', 'fix')], session('s2', 'fix')],
    [
      '[S1] a status that does not exist',
      [],
      session('s1', 'fix', `'STOPPED', NULL, NULL, NULL, NULL`),
    ],
    ['[S1] an ERROR without a reason', [], session('s1', 'fix', `'ERROR', NULL, NULL, NULL, NULL`)],
    [
      '[S1] an ACTIVE session that was never ready',
      [],
      session('s1', 'fix', `'ACTIVE', NULL, NULL, NULL, NULL`),
    ],
    ['[S3] an IDLE session without its time', [], session('s1', 'fix', `'IDLE', NULL, 1, 1, NULL`)],
    [
      '[S3] a time to end for a session that is not IDLE',
      [],
      session('s1', 'fix', `'ACTIVE', NULL, 1, NULL, 2`),
    ],
    ['[P4] an original without its run', [], `INSERT INTO originals VALUES ('r1', 'sealed')`],
    ['[P6] a changed line of the audit log', [auditLine], `UPDATE audit SET user_id = 'bob'`],
    ['[P6] a deleted line of the audit log', [auditLine], 'DELETE FROM audit'],
    [
      '[X2] an administrator who is locked out',
      [],
      `UPDATE users SET disabled_at = 1 WHERE id = 'admin'`,
    ],
    [
      '[X2] two users whose names differ in letter case alone',
      [user('u1', 'Ann')],
      user('u2', 'aNN'),
    ],
    ['[X3] a share of no session', [], `INSERT INTO shares VALUES ('s1', 'admin', 'view')`],
    [
      '[X3] a share with nobody',
      [session('s1', 'fix')],
      `INSERT INTO shares VALUES ('s1', 'nobody', 'view')`,
    ],
    [
      '[S3] a connection without its session',
      [],
      `INSERT INTO connections VALUES ('c', 's1', 'n', 'ann', 'ws', 0)`,
    ],
  ];

  test.for(refused)('%s is refused by SQLite', async ([, setUp, wrong]) => {
    const path = join(temporaryDirectory(), 'q.db');
    const connection = new Connection(path, { readOnly: false });
    migrateSqlite(connection);
    connection.close();
    const database = new DatabaseSync(path);
    for (const statement of setUp) database.exec(statement);
    expect(() => database.exec(wrong)).toThrow(/constraint|never changes|append-only/);
    database.close();
  });

  /** Forks that share the conversation of their original, as earlier versions made them. */
  const twins = [
    ...['s1', 's2', 's3', 's4'].map((id) => session(id, id)),
    ...['s1', 's2', 's3'].map((id) => holds(id, 'c')),
    holds('s4', 'd'),
  ];
  const beforeForks = MIGRATIONS.slice(0, MIGRATIONS.indexOf(forkColumns));
  const readTwins =
    'SELECT id, conversation, fork_conversation AS copy, fork_head AS head FROM sessions ORDER BY id';
  const apart = [
    { id: 's1', conversation: 'c', copy: null, head: null },
    { id: 's2', conversation: null, copy: 'c', head: null },
    { id: 's3', conversation: null, copy: 'c', head: null },
    { id: 's4', conversation: 'd', copy: null, head: null },
  ];

  test('[S10] [O3] sessions that shared a conversation become forks of the oldest, on SQLite', () => {
    const path = join(temporaryDirectory(), 'q.db');
    const connection = new Connection(path, { readOnly: false });
    migrateSqlite(connection, beforeForks);
    const file = new DatabaseSync(path);
    for (const statement of twins) file.exec(statement);
    migrateSqlite(connection);
    connection.close();
    expect(file.prepare(readTwins).all()).toEqual(apart);
    file.close();
  });

  test('[S10] [O3] sessions that shared a conversation become forks of the oldest, on PostgreSQL', async () => {
    const target = { url: database.url, schema: 'twins' };
    await migratePostgres(target, beforeForks);
    const options = '-c search_path=twins';
    const other = new pg.Client({ connectionString: database.url, options });
    await other.connect();
    for (const statement of twins) await other.query(statement);
    await migratePostgres(target);
    expect((await other.query(readTwins)).rows).toEqual(apart);
    await other.end();
  });

  test('[P6] a line of the audit log is not replaced by SQLite either', () => {
    const path = join(temporaryDirectory(), 'q.db');
    const connection = new Connection(path, { readOnly: false });
    migrateSqlite(connection);
    connection.close();
    const file = new DatabaseSync(path);
    file.exec(auditLine);
    const replacing = auditLine.replace('INSERT', 'REPLACE').replace('(at,', '(seq, at,');
    expect(() => file.exec(replacing.replace('(0,', '(1, 0,'))).toThrow(/append-only/);
    file.close();
  });

  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createDatabase();
    await migratePostgres({ url: database.url, schema: 'baton' });
    client = new pg.Client({ connectionString: database.url, options: '-c search_path=baton' });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  test.for(refused)('%s is refused by PostgreSQL', async ([, setUp, wrong]) => {
    await client.query('BEGIN');
    for (const statement of setUp) await client.query(statement);
    await expect(client.query(wrong)).rejects.toThrow(/constraint|never changes|append-only/);
    await client.query('ROLLBACK');
  });

  test('[P6] the audit log is not emptied by PostgreSQL either', async () => {
    await client.query('BEGIN');
    await expect(client.query('TRUNCATE audit')).rejects.toThrow(/append-only/);
    await client.query('ROLLBACK');
  });
});

describe('[O3] a node of the version before, after the upgrade', () => {
  /** How it creates and renames a session: it does not know the newest columns. */
  const newest = [
    'folded_name',
    'conversation_head',
    'fork_conversation',
    'fork_head',
    'agent_standing',
  ];
  const known = SESSION_COLUMN_NAMES.filter((name) => !newest.includes(name)).join(', ');
  const remake = [
    `CREATE TEMP TABLE made AS SELECT ${known} FROM sessions`,
    'DELETE FROM sessions',
    `INSERT INTO sessions (${known}) SELECT ${known} FROM made`,
  ];
  const rename = "UPDATE sessions SET name = 'Fixed login'";

  async function reads(
    open: () => Promise<BatonStore>,
    write: (statements: readonly string[]) => Promise<void>,
  ): Promise<void> {
    let store = await open();
    const made = await store.createSession(newSessionOf(newId(), 'Fix LOGIN'));
    const { id } = made.session;
    const search = async (name: string): Promise<string[]> => {
      const filter = { archived: false, limit: 10, order: 'activity', name } as const;
      return (await store.listSessions(filter)).map(({ session }) => session.id);
    };
    await store.close();
    await write(remake);
    store = await open();
    expect(await store.getSession(id)).toEqual(made);
    expect(await search('login')).toEqual([id]);
    // A newer node fills in the missing columns when it writes the session again.
    await store.changeSession(id, { do: 'update', changes: { name: 'ПРОВЕРКА' } });
    expect(await search('проверка')).toEqual([id]);
    await store.close();
    await write([rename]);
    store = await open();
    expect(await search('FIXED')).toEqual([id]);
    await store.close();
  }

  test('writes sessions that are read and searched, on SQLite', async () => {
    const path = join(temporaryDirectory(), 'q.db');
    await reads(
      () => sqliteStore({ path }),
      async (statements) => {
        const database = new DatabaseSync(path);
        for (const statement of statements) database.exec(statement);
        database.close();
      },
    );
  });

  test('writes sessions that are read and searched, on PostgreSQL', async () => {
    const database = await createDatabase();
    const target = { url: database.url, schema: 'before' };
    await reads(
      () => postgresStore(target),
      async (statements) => {
        const options = '-c search_path=before';
        const client = new pg.Client({ connectionString: database.url, options });
        await client.connect();
        for (const statement of statements) await client.query(statement);
        await client.end();
      },
    );
    await database.drop();
  });
});
