import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/postgres.ts';
import { checkOut } from './checkout.ts';
import { makePool } from './connect.ts';

test('[O5] waiting long for a connection in use is not mistaken for an unreachable database', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  onTestFinished(() => pool.end());
  const both = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of both) client.release();
  // From now on a wait of 100 ms counts as an unreachable server; connecting to a busy one may take longer.
  pool.options.connectionTimeoutMillis = 100;
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await checkOut(pool);
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid, pg_sleep(0.05)');
      client.release();
      return rows[0].pid as number;
    }),
  );
  expect(ids).toHaveLength(20);
  expect(new Set(ids).size).toBeLessThanOrEqual(2);
  expect(pool.waitingCount).toBe(0);
});

test('[O5] when the server really is unreachable, all waiting callers are rejected at once', async () => {
  const pool = makePool({ url: 'postgres://nobody@127.0.0.1:1/none', schema: 'baton' }, 1);
  onTestFinished(() => pool.end());
  const results = await Promise.allSettled([checkOut(pool), checkOut(pool), checkOut(pool)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

test('a connection released as broken makes room for another', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = makePool({ url: database.url, schema: 'baton' }, 1);
  onTestFinished(() => pool.end());
  const first = await checkOut(pool);
  const second = checkOut(pool);
  first.release(true);
  const client = await second;
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  client.release();
});

test('[Q20] callers waiting when the store closes are rejected with `closed`', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const pool = makePool({ url: database.url, schema: 'baton' }, 1);
  const first = await checkOut(pool);
  const waiting = Promise.allSettled([checkOut(pool), checkOut(pool)]);
  const ended = pool.end();
  first.release();
  const closed = { status: 'rejected', reason: { code: 'closed' } };
  expect(await waiting).toMatchObject([closed, closed]);
  await ended;
});
