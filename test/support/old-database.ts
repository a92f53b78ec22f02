import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { createDatabase, type TestDatabase } from './postgres.ts';
import { temporaryDirectory } from './processes.ts';

/**
 * Databases made by commit 308c277, the last commit with the twelve migrations that the baseline
 * replaced. They hold a user with a token, and a session with three messages, of which the first
 * has been answered.
 */
const read = (name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`../fixtures/databases/308c277.${name}.gz`, import.meta.url)));

/** The path of a copy of the SQLite file. */
export function oldSqliteFile(): string {
  const path = join(temporaryDirectory(), 'baton.db');
  writeFileSync(path, read('db'));
  return path;
}

/** A database on the test server with the tables in the schema `baton`. */
export async function oldPostgresDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  await queryPostgres(database.url, read('sql').toString());
  return database;
}

export async function queryPostgres(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=baton' });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export function querySqlite(path: string, text: string): unknown[] {
  const file = new DatabaseSync(path);
  try {
    return file.prepare(text).all();
  } finally {
    file.close();
  }
}

/** Everything in the schema of a SQLite file, without layout and comments. */
export function sqliteCatalogue(path: string): unknown[] {
  const rows = querySqlite(
    path,
    `SELECT type, name, tbl_name AS "table", coalesce(sql, '') AS sql FROM sqlite_master ORDER BY type, name`,
  ) as { sql: string; type: string; name: string }[];
  const tables = rows.filter(({ type }) => type === 'table').map(({ name }) => name);
  const columns = tables.map((table) => [
    table,
    querySqlite(path, `SELECT * FROM pragma_table_xinfo('${table}')`),
  ]);
  const plain = (sql: string): string =>
    sql
      .replaceAll(/--.*$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/ ?([(),]) ?/g, '$1');
  return [rows.map((row) => ({ ...row, sql: plain(row.sql) })), columns];
}

const POSTGRES_CATALOGUE = {
  tables: `SELECT relname, relkind, reloptions FROM pg_class WHERE relnamespace = 'baton'::regnamespace ORDER BY 1`,
  columns: `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
      a.attcollation::regcollation::text, pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'baton'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname, a.attnum`,
  indexes: `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'baton' ORDER BY 1`,
  constraints: `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'baton'::regnamespace ORDER BY 1, 2`,
  triggers: `SELECT tgname, pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'baton'::regnamespace AND NOT tgisinternal ORDER BY 1`,
  functions: `SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'baton'::regnamespace ORDER BY 1`,
  sequences: `SELECT sequencename, data_type::text, start_value, min_value, max_value, increment_by, cycle
    FROM pg_sequences WHERE schemaname = 'baton' ORDER BY 1`,
} as const;

type PostgresCatalogue = Record<keyof typeof POSTGRES_CATALOGUE, unknown[]>;

/** Everything in the schema `baton` of a PostgreSQL database. */
export async function postgresCatalogue(url: string): Promise<PostgresCatalogue> {
  const entries = Object.entries(POSTGRES_CATALOGUE).map(async ([kind, text]) => [
    kind,
    await queryPostgres(url, text),
  ]);
  return Object.fromEntries(await Promise.all(entries)) as PostgresCatalogue;
}
