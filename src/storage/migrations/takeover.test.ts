import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import {
  oldPostgresDatabase,
  oldSqliteFile,
  postgresCatalogue,
  queryPostgres,
  querySqlite,
  sqliteCatalogue,
} from '../../../test/support/old-database.ts';
import { createDatabase } from '../../../test/support/postgres.ts';
import { checkDatabase } from '../../node/doctor.ts';
import { admission } from '../../queue/conformance/rig.ts';
import type { BatonStore } from '../operations/baton-store.ts';
import { migrate as migratePostgres } from '../postgres/migrate.ts';
import { postgresStore } from '../postgres/store.ts';
import { Connection } from '../sqlite/connection.ts';
import { migrate as migrateSqlite } from '../sqlite/migrate.ts';
import { sqliteStore } from '../sqlite/store.ts';
import { MIGRATIONS } from './list.ts';

const RECORD = 'SELECT id, name FROM migrations ORDER BY id';
const CURRENT = MIGRATIONS.map(({ id, name }) => ({ id, name }));
const PARTIAL = 'DELETE FROM migrations WHERE id > 7';
const REFUSED = {
  code: 'database_outdated',
  message: expect.stringMatching(
    /has only 7 of the 12 migrations.* 7 \(access\).*early development version made it.*Start Baton once/,
  ),
};
const id = (n: number): string => `01990000-0000-7000-8000-00000000000${n}`;
const [ANN, SESSION, TOKEN] = [id(1), id(2), id(3)];

/** What commit 308c277 stored is there, and the queue works on it. */
async function check(store: BatonStore): Promise<void> {
  expect(await store.getUser(ANN)).toMatchObject({ name: 'Ann', role: 'operator' });
  expect(await store.getToken(TOKEN)).toMatchObject({ name: 'laptop', channel: 'cli' });
  const session = (await store.getSession(SESSION))?.session;
  expect(session).toMatchObject({ ownerId: ANN, name: 'fix the login', status: 'ACTIVE' });
  // From the audit log, by a later migration.
  expect(session?.agentStanding).toEqual({ channel: 'cli' });
  const runs = await store.list({ lane: SESSION, limit: 10 });
  expect(runs.map((run) => [run.id, run.state])).toEqual([
    [id(4), 'succeeded'],
    [id(5), 'queued'],
    [id(6), 'queued'],
  ]);
  const events = await store.listAfter(SESSION, 0, 100);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1));
  expect(events[7]).toMatchObject({ type: 'agent.text', payload: { text: 'It is in login.ts.' } });
  expect(await store.counts()).toMatchObject({ queued: 3, succeeded: 1 });

  await store.enqueue([admission({ id: id(8), type: 'task', lane: 'new' })]);
  const sent = { sessionId: SESSION, original: null, queueMax: 100 };
  await store.sendMessage({ ...sent, admission: admission({ id: id(9), type: 'agent' }) });
  const identity = { bootId: 'boot', pidNamespace: 'pid:1', pid: 8, pidStart: '1' };
  const types = ['agent', 'build', 'task'];
  const node = { id: 'node-2', host: 'host-1', ...identity, roles: ['worker' as const], types };
  await store.join({ ...node, capacity: 10, version: '0.0.0' }, 30_000);
  const claimed = await store.claim({
    nodeId: 'node-2',
    types,
    limit: 10,
    caps: { types: {}, perOwner: null },
  });
  expect(claimed.map(({ run }) => run.id).sort()).toEqual([id(5), id(7), id(8)]);
  // A fence is never given twice: commit 308c277 gave two.
  expect(Math.min(...claimed.map(({ fence }) => fence))).toBeGreaterThan(2);
}

test('[O3] a database of the replaced migrations is taken over with its data on SQLite', async () => {
  const path = oldSqliteFile();
  const health = async () => (await checkDatabase({ kind: 'sqlite', path }))[0]?.text;
  expect(await health()).toMatch(`${MIGRATIONS.length - 1} migrations`);
  const store = await sqliteStore({ path });
  onTestFinished(() => store.close());
  await check(store);
  expect(querySqlite(path, RECORD)).toEqual(CURRENT);
  expect(await health()).toMatch(`up to date, ${MIGRATIONS.length} migrations`);
});

test('[O3] a database of the replaced migrations is taken over with its data on PostgreSQL', async () => {
  const { url, drop } = await oldPostgresDatabase();
  onTestFinished(drop);
  const store = await postgresStore({ url });
  await check(store);
  await store.close();
  expect(await queryPostgres(url, RECORD)).toEqual(CURRENT);
});

test('[O3] the baseline makes the schema of the migrations it replaced on SQLite', () => {
  const path = oldSqliteFile();
  const fresh = `${path}.fresh`;
  for (const file of [path, fresh]) {
    const connection = new Connection(file, { readOnly: false });
    migrateSqlite(connection);
    connection.close();
  }
  expect(sqliteCatalogue(fresh)).toEqual(sqliteCatalogue(path));
});

test('[O3] the baseline makes the schema of the migrations it replaced on PostgreSQL', async () => {
  const [taken, fresh] = await Promise.all([oldPostgresDatabase(), createDatabase()]);
  onTestFinished(taken.drop);
  onTestFinished(fresh.drop);
  for (const { url } of [taken, fresh]) await migratePostgres({ url, schema: 'baton' });
  // Only nodes of the version before call these.
  await queryPostgres(taken.url, 'DROP FUNCTION claim_survey; DROP FUNCTION send_message');
  expect(await postgresCatalogue(fresh.url)).toEqual(await postgresCatalogue(taken.url));
});

/** The record of a database that has later migrations too, as it was before the baseline. */
const WITH_LATER = (former: readonly { id: number; name: string }[]): string =>
  ["DELETE FROM migrations WHERE name = 'baseline'"]
    .concat(former.map(({ id, name }) => `INSERT INTO migrations VALUES (${id}, '${name}', 0)`))
    .join(';');

test('[O3] later migrations that a database already has are not applied again on SQLite', () => {
  const path = oldSqliteFile();
  const former = querySqlite(path, RECORD) as { id: number; name: string }[];
  const connection = new Connection(path, { readOnly: false });
  migrateSqlite(connection, MIGRATIONS.slice(0, 5));
  connection.exec(WITH_LATER(former));
  migrateSqlite(connection);
  connection.close();
  expect(querySqlite(path, RECORD)).toEqual(CURRENT);
});

test('[O3] later migrations that a database already has are not applied again on PostgreSQL', async () => {
  const { url, drop } = await oldPostgresDatabase();
  onTestFinished(drop);
  const former = (await queryPostgres(url, RECORD)) as { id: number; name: string }[];
  const target = { url, schema: 'baton' };
  await migratePostgres(target, MIGRATIONS.slice(0, 5));
  await queryPostgres(url, WITH_LATER(former));
  await migratePostgres(target);
  expect(await queryPostgres(url, RECORD)).toEqual(CURRENT);
});

test('[O3] a database with some of the replaced migrations is refused unchanged on SQLite', async () => {
  const path = oldSqliteFile();
  const file = new DatabaseSync(path);
  file.exec(PARTIAL);
  file.close();
  const before = [querySqlite(path, RECORD), sqliteCatalogue(path)];
  await expect(sqliteStore({ path })).rejects.toMatchObject(REFUSED);
  expect([querySqlite(path, RECORD), sqliteCatalogue(path)]).toEqual(before);
  const [finding] = await checkDatabase({ kind: 'sqlite', path });
  expect(finding).toMatchObject({ state: 'problem', fix: expect.stringContaining('308c277') });
});

test('[O3] a database with some of the replaced migrations is refused unchanged on PostgreSQL', async () => {
  const { url, drop } = await oldPostgresDatabase();
  onTestFinished(drop);
  await queryPostgres(url, PARTIAL);
  const before = [await queryPostgres(url, RECORD), await postgresCatalogue(url)];
  await expect(postgresStore({ url })).rejects.toMatchObject(REFUSED);
  expect([await queryPostgres(url, RECORD), await postgresCatalogue(url)]).toEqual(before);
});

test('[O3] of two processes that start at once on SQLite one takes the database over', async () => {
  const path = oldSqliteFile();
  const opened = await Promise.allSettled([sqliteStore({ path }), sqliteStore({ path })]);
  const stores = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  expect(stores).toHaveLength(1);
  await check(stores[0]!);
  expect(querySqlite(path, RECORD)).toEqual(CURRENT);
});

test('[O3] nodes that start at once on PostgreSQL take the database over once', async () => {
  const { url, drop } = await oldPostgresDatabase();
  onTestFinished(drop);
  const stores = await Promise.all([postgresStore({ url }), postgresStore({ url })]);
  await check(stores[0]);
  await Promise.all(stores.map((store) => store.close()));
  expect(await queryPostgres(url, RECORD)).toEqual(CURRENT);
});
