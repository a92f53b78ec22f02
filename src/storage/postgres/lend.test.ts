import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/postgres.ts';
import { makePool } from './connect.ts';
import { lend } from './lend.ts';

test('[O5] who waits for a lent connection is not told that the database is away, however long', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  onTestFinished(() => pool.end());
  const both = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of both) client.release();
  // From now on it takes a wait of 100 ms for an absent server; a busy one may need longer to connect.
  pool.options.connectionTimeoutMillis = 100;
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await lend(pool);
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid, pg_sleep(0.05)');
      client.release();
      return rows[0].pid as number;
    }),
  );
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBeLessThanOrEqual(2);
  expect(pool.waitingCount).toBe(0);
});

test('[O5] when the server is really away, everybody in line is told at once', async () => {
  const pool = makePool({ url: 'postgres://nobody@127.0.0.1:1/none', schema: 'baton' }, 1);
  onTestFinished(() => pool.end());
  const results = await Promise.allSettled([lend(pool), lend(pool), lend(pool)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

test('a connection given back broken makes room for another', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = makePool({ url: database.url, schema: 'baton' }, 1);
  onTestFinished(() => pool.end());
  const first = await lend(pool);
  const second = lend(pool);
  first.release(true);
  const client = await second;
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  client.release();
});

test('[Q20] who is in line when the store closes is told so', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = makePool({ url: database.url, schema: 'baton' }, 1);
  const first = await lend(pool);
  const waiting = Promise.allSettled([lend(pool), lend(pool)]);
  const ended = pool.end();
  first.release();
  const closed = { status: 'rejected', reason: { code: 'closed' } };
  expect(await waiting).toMatchObject([closed, closed]);
  await ended;
});
