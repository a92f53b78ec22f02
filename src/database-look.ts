import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Config } from './cli/config.ts';
import { MIGRATIONS, pending } from './storage/migrations/all.ts';
import { clientConfig, parseUrl } from './storage/postgres/connect.ts';
import { codeOf, toBatonError as fromPostgres } from './storage/postgres/errors.ts';
import { Connection } from './storage/sqlite/connection.ts';
import { toBatonError as fromSqlite } from './storage/sqlite/errors.ts';

interface Applied {
  readonly id: number;
  readonly name: string;
}

/** How far the schema of a database is. */
export interface SchemaState {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

const TEXT = 'SELECT id, name FROM migrations ORDER BY id';

/** Looks without changing anything; throws coded errors, also for a newer database (O3). */
export async function lookAtDatabase(database: Config['database']): Promise<SchemaState> {
  const rows =
    database.kind === 'sqlite' ? lookAtFile(database.path) : await lookAtServer(database.url);
  const known = MIGRATIONS.filter(({ id }) => rows.some((row) => row.id === id));
  return {
    applied: known.map(titleOf),
    pending: pending(rows).map(titleOf),
  };
}

const titleOf = ({ id, name }: Applied): string => `${String(id).padStart(4, '0')}-${name}`;

function lookAtFile(path: string): readonly Applied[] {
  if (!existsSync(path)) return [];
  try {
    const connection = new Connection(path, { readOnly: true });
    try {
      const text = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'";
      if (connection.query({ text, values: [] }).length === 0) return [];
      return connection.query({ text: TEXT, values: [] }) as unknown as Applied[];
    } finally {
      connection.close();
    }
  } catch (error) {
    throw fromSqlite(error, path);
  }
}

async function lookAtServer(url: string): Promise<readonly Applied[]> {
  const client = new pg.Client(clientConfig({ url: parseUrl(url).href, schema: 'baton' }));
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<{ id: number; name: string }>(TEXT)).rows;
  } catch (error) {
    // No table, or no schema of ours: a database that Baton has not used yet.
    if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return [];
    throw fromPostgres(error);
  } finally {
    await client.end().catch(() => {});
  }
}
