import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Config } from '../config/config.ts';
import { type AppliedMigration, planMigrations } from '../storage/migrations/plan.ts';
import { clientConfig, parseUrl } from '../storage/postgres/connect.ts';
import { toBatonError as fromPostgres } from '../storage/postgres/errors.ts';
import { Connection } from '../storage/sqlite/connection.ts';
import { toBatonError as fromSqlite } from '../storage/sqlite/errors.ts';
import { unreachableHosts } from './node-url.ts';

/** The state of a database's schema, and the nodes that use the database. */
export interface DatabaseProbe {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** The id shared by all nodes that use the database; null before the first start. */
  readonly installation: string | null;
  readonly liveNodes: ReadonlySet<string>;
  /** The names of hosts that have live nodes but cannot be reached by the other hosts. */
  readonly unreachable: readonly string[];
}

interface Facts {
  readonly migrations: readonly AppliedMigration[];
  readonly installation: string | null;
  readonly liveNodes: readonly { id: string; host: string; roles: string[]; url: string | null }[];
}

/** Statements run one after another, because in a new database the tables do not exist yet. */
type Query = (text: string) => readonly Row[] | Promise<readonly Row[]>;
type Row = Readonly<Record<string, unknown>>;

/** Changes nothing. Throws coded errors, including for a newer database (O3). */
export async function probeDatabase(database: Config['database']): Promise<DatabaseProbe> {
  const { migrations, installation, liveNodes } =
    database.kind === 'sqlite' ? await probeFile(database.path) : await probeServer(database.url);
  const { applied, pending } = planMigrations(migrations);
  return {
    applied: applied.map(titleOf),
    pending: pending.map(titleOf),
    installation,
    liveNodes: new Set(liveNodes.map(({ id }) => id)),
    unreachable: unreachableHosts(liveNodes),
  };
}

const titleOf = ({ id, name }: AppliedMigration): string =>
  `${String(id).padStart(4, '0')}-${name}`;

const NOTHING: Facts = { migrations: [], installation: null, liveNodes: [] };

async function probeFile(path: string): Promise<Facts> {
  if (!existsSync(path)) return NOTHING;
  try {
    const connection = new Connection(path, { readOnly: true });
    try {
      const tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
      return await facts((text) => connection.query({ text, values: [] }), tables, Date.now());
    } finally {
      connection.close();
    }
  } catch (error) {
    throw fromSqlite(error, path);
  }
}

async function probeServer(url: string): Promise<Facts> {
  const client = new pg.Client(clientConfig({ url: parseUrl(url).href, schema: 'baton' }));
  client.on('error', () => {});
  try {
    await client.connect();
    const query: Query = async (text) => (await client.query<Row>(text)).rows;
    const [clock] = await query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
    const tables = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'baton'";
    return await facts(query, tables, Number(clock?.['now']));
  } catch (error) {
    throw fromPostgres(error);
  } finally {
    await client.end().catch(() => {});
  }
}

async function facts(query: Query, listTables: string, now: number): Promise<Facts> {
  const tables = new Set((await query(listTables)).map(({ name }) => name));
  const rows = async (table: string, text: string): Promise<readonly Row[]> =>
    tables.has(table) ? query(text) : [];
  const migrations = await rows('migrations', 'SELECT id, name FROM migrations ORDER BY id');
  const [setting] = await rows(
    'settings',
    "SELECT value FROM settings WHERE name = 'installation'",
  );
  // Selects all columns, because a database created by an older version has no `nodes.url`.
  const nodes = await rows('nodes', `SELECT * FROM nodes WHERE lease_until > ${Math.floor(now)}`);
  const hosts = await rows('hosts', 'SELECT id, name FROM hosts');
  const names = new Map(hosts.map(({ id, name }) => [id, name]));
  return {
    migrations: migrations.map(({ id, name }) => ({ id: Number(id), name: String(name) })),
    installation: setting === undefined ? null : String(setting['value']),
    liveNodes: nodes.map(({ id, host, roles, url }) => ({
      id: String(id),
      host: String(names.get(host) ?? host),
      roles: JSON.parse(String(roles)) as string[],
      url: url == null ? null : String(url),
    })),
  };
}
