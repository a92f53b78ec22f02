import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Target } from '../../src/storage/postgres/connect.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';

export interface TestDatabase {
  url: string;
  /** Terminates open connections and removes the database. */
  drop(): Promise<void>;
}

/** An empty database on the server of this test run. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await query(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => void (await query(server, `drop database if exists ${name} with (force)`)),
  };
}

/** Schemas that a finished test has used, for reuse. */
const free: Schema[] = [];
const used = new Map<string, Promise<Schema>>();

interface Schema {
  readonly target: Target;
  /** SQL that restores the state right after the migrations. */
  readonly reset: string;
}

/**
 * A schema without other data; the same `key` returns the same one until the test ends. Emptying a
 * schema is cheaper than the migrations; copying a database takes as much processor time as they do.
 */
export async function emptySchema(key: string = randomBytes(6).toString('hex')): Promise<Target> {
  let schema = used.get(key);
  if (schema === undefined) {
    schema = takeSchema();
    used.set(key, schema);
    // Callbacks run in reverse order, so the store is already closed.
    onTestFinished(async () => {
      free.push(await used.get(key)!);
      used.delete(key);
    });
  }
  return (await schema).target;
}

async function takeSchema(): Promise<Schema> {
  const again = free.pop();
  if (again !== undefined) {
    await query(again.target.url, again.reset);
    return again;
  }
  const target = {
    url: inject('postgresUrl'),
    schema: `test_${randomBytes(6).toString('hex')}`,
  };
  await migrate(target);
  return { target, reset: await resetOf(target) };
}

async function resetOf({ url, schema }: Target): Promise<string> {
  const names = async (kind: string): Promise<string[]> => {
    const { rows } = await query(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = '${kind}'`,
    );
    return rows.map(({ relname }) => `${schema}.${relname}`);
  };
  // Disables foreign keys, because everything is deleted.
  const statements = ['SET session_replication_role = replica'];
  for (const table of await names('r')) {
    if (table.endsWith('.migrations')) continue;
    statements.push(`DELETE FROM ${table}`);
    const { rows } = await query(url, `SELECT to_jsonb(t)::text AS row FROM ${table} t`);
    for (const { row } of rows) {
      const from = `jsonb_populate_record(NULL::${table}, ${pg.escapeLiteral(row)})`;
      statements.push(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM ${from}`);
    }
  }
  for (const sequence of await names('S')) statements.push(`ALTER SEQUENCE ${sequence} RESTART`);
  return statements.join(';\n');
}

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
