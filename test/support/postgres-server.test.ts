import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase } from './postgres.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

async function value(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result = await client.query<{ value: unknown }>(sql);
    return result.rows[0]?.value;
  } finally {
    await client.end();
  }
}

describe('a database of the shared server', () => {
  test('[O1] is a real, empty database and can be dropped while in use', async () => {
    const database = await createDatabase();
    const client = new pg.Client({ connectionString: database.url });
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    expect(
      await value(database.url, 'select count(*)::int as value from pg_stat_user_tables'),
    ).toBe(0);
    expect(await value(database.url, `select current_setting('max_connections') as value`)).toBe(
      '200',
    );
    await database.drop();
    await ended;
    await expect(value(database.url, 'select 1')).rejects.toThrow('does not exist');
  });
});

describe('a separate server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: '20' } });
  });
  afterAll(() => server.remove());

  test('keeps its data and port across a stop and a crash', async () => {
    await value(server.url, 'create table kept (value int)');
    await value(server.url, 'insert into kept values (1)');
    await server.stop();
    await expect(value(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    await server.stop('immediate');
    await server.start();
    expect(await value(server.url, 'select value from kept')).toBe(1);
  });
});
