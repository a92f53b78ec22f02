import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import { BatonError } from '../../contract/errors.ts';
import type { Store } from '../../queue/store.ts';
import { makePool, SETTINGS } from './connect.ts';
import { postgresStore } from './store.ts';
import { MOST_TRIES } from './transact.ts';

describe('a wrong or absent server', () => {
  test.for([['mysql://127.0.0.1/x'], ['not a url'], ['sqlite:/tmp/x']])(
    '%s is refused at once, naming the form',
    async ([url]) => {
      await expect(postgresStore({ url: url! })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('postgres://'),
      });
    },
  );

  test('an unreachable server is retried, each retry is reported, and then there is a clear error', async () => {
    const retries: string[] = [];
    const opening = postgresStore({
      url: 'postgres://user:secret@127.0.0.1:1/db',
      waitMs: 1000,
      onWaiting: (error) => retries.push(error.message),
    });
    await expect(opening).rejects.toMatchObject({ code: 'database_unreachable' });
    expect(retries.length).toBeGreaterThanOrEqual(1);
    expect(retries.join()).toContain('ECONNREFUSED');
    expect(retries.join()).not.toContain('secret');
  });

  test('a server that comes up later is used without a restart', async () => {
    const server = await startPostgres({});
    onTestFinished(() => server.remove());
    await server.stop('fast');
    const opening = postgresStore({ url: server.url, onWaiting: () => void server.start() });
    const store = await opening;
    expect(await store.counts()).toMatchObject({ queued: 0 });
    await store.close();
  });

  test('a database that does not exist is an error at once, not a wait', async () => {
    const database = await createDatabase();
    await database.drop();
    await expect(postgresStore({ url: database.url })).rejects.toMatchObject({
      code: 'database_refused',
    });
  });
});

describe('a server that stops and comes back', () => {
  test('[O5] calls during the outage fail with database_unreachable; afterwards everything is there', async () => {
    const server = await startPostgres({});
    onTestFinished(() => server.remove());
    const store = await postgresStore({ url: server.url });
    onTestFinished(() => store.close());
    await store.enqueue([admission('a')]);
    await server.stop('immediate');
    await expect(store.enqueue([admission('b')])).rejects.toMatchObject({
      code: 'database_unreachable',
    });
    await expect(store.counts()).rejects.toMatchObject({ code: 'database_unreachable' });
    await server.start();
    await store.enqueue([admission('b')]);
    expect(await store.counts()).toMatchObject({ queued: 2 });
  });
});

test('[O5] a connection that breaks while it is checked out does not end the process', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = makePool({ url: database.url, schema: 'baton' }, 2);
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const ended = new Promise((resolve) => client.once('end', resolve));
  await pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
  await ended;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

describe('races', () => {
  let database: TestDatabase;
  let store: Store;
  let admin: pg.Client;
  beforeAll(async () => {
    database = await createDatabase();
    store = await postgresStore({ url: database.url });
    admin = new pg.Client({ connectionString: database.url, options: '-c search_path=baton' });
    await admin.connect();
  });
  afterAll(async () => {
    await store.close();
    await admin.end();
    await database.drop();
  });

  const raise = async (state: string, times: number): Promise<void> => {
    await admin.query(`
      DROP TABLE IF EXISTS faults CASCADE; CREATE SEQUENCE IF NOT EXISTS fault_calls; ALTER SEQUENCE fault_calls RESTART;
      CREATE OR REPLACE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('fault_calls') <= ${times} THEN RAISE EXCEPTION 'planted' USING ERRCODE = '${state}'; END IF;
        RETURN NEW;
      END $$;
      CREATE OR REPLACE TRIGGER fault BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION fault();`);
    onTestFinished(async () => {
      await admin.query('DROP TRIGGER fault ON runs');
    });
  };

  test.for(['40001', '40P01'])(
    'a transaction that fails with %s is run again until it goes through',
    async (state) => {
      await raise(state, MOST_TRIES - 1);
      const [receipt] = await store.enqueue([admission(`again-${state}`)]);
      expect(receipt).toMatchObject({ state: 'queued' });
      expect((await store.listAfter(`again-${state}`, 0, 10)).length).toBe(1);
    },
  );

  test('a transaction that never succeeds is an error and leaves nothing behind', async () => {
    await raise('40001', 1000);
    await expect(store.enqueue([admission('never')])).rejects.toMatchObject({
      code: 'database_unreachable',
    });
    expect(await store.get('never')).toBeNull();
    expect(await store.getLane('never')).toBeNull();
  });

  test('writers that lock the same lanes in opposite orders do not deadlock', async () => {
    const lanes = Array.from({ length: 20 }, (_, i) => `cross-${i}`);
    const batch = (n: number, order: string[]) =>
      order.map((lane) => admission(`${lane}-${n}`, { lane }));
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        store.enqueue(batch(n, n % 2 === 0 ? lanes : [...lanes].reverse())),
      ),
    );
    for (const lane of lanes) expect(await store.listQueued(lane, 100)).toHaveLength(12);
    const { rows } = await admin.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(Number(rows[0]!.deadlocks)).toBe(0);
  });

  test('one idempotency key used by many at once makes one run', async () => {
    const receipts = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        store.enqueue([admission(`key-${i}`, { idempotencyKey: 'k', bodyHash: 'h' })]),
      ),
    );
    expect(new Set(receipts.flat().map(({ id }) => id)).size).toBe(1);
    expect(receipts.flat().filter(({ known }) => !known)).toHaveLength(1);
  });

  test('the connections have the configured timeouts', async () => {
    const pool = makePool({ url: database.url, schema: 'baton' }, 1);
    for (const [name, value] of Object.entries(SETTINGS)) {
      const { rows } = await pool.query(`SHOW ${name}`);
      expect(rows[0]?.[name]).toBe(value);
    }
    await pool.query('SET statement_timeout = 50');
    await expect(pool.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
    await pool.end();
  });

  test('a connection that breaks between two statements fails its transaction, not the process', async () => {
    const pool = makePool({ url: database.url, schema: 'baton' }, 1);
    const client = await pool.connect();
    await client.query('BEGIN');
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow(Error);
    client.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  test('names and schemas with quotes and other odd characters are refused or stored as they are', async () => {
    await expect(
      postgresStore({ url: database.url, schema: 'x; DROP TABLE runs' }),
    ).rejects.toThrow(BatonError);
    await store.enqueue([admission(`o'"hara`, { lane: `lane'"; --` })]);
    expect(await store.get(`o'"hara`)).toMatchObject({ lane: `lane'"; --` });
  });
});
