import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { digestOf } from '../setup.ts';
import type { EventRow, Evidence, RunRow, SessionRow } from './check/evidence.ts';

type Tables = Pick<
  Evidence,
  'sessions' | 'runs' | 'events' | 'connections' | 'nodes' | 'installation'
>;
export type Ask = <T extends object>(text: string) => Promise<T[]>;

/** Reads the tables with the same plain SQL on both databases. */
export const collect = (database: string): Promise<Tables> => reading(database, read);

/** Runs queries that both databases understand. */
export function reading<T>(database: string, read: (ask: Ask) => Promise<T>): Promise<T> {
  return database.startsWith('sqlite:')
    ? bySqlite(database.slice('sqlite:'.length), read)
    : byPostgres(database, read);
}

async function bySqlite<T>(path: string, read: (ask: Ask) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return await read(
      async <T extends object>(text: string) => database.prepare(text).all() as T[],
    );
  } finally {
    database.close();
  }
}

async function byPostgres<T>(url: string, read: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=baton' });
  await client.connect();
  try {
    return await read(async <T extends object>(text: string) => (await client.query<T>(text)).rows);
  } finally {
    await client.end();
  }
}

async function read(ask: Ask): Promise<Tables> {
  const sessions = await ask<SessionRow>(
    `SELECT s.id AS id, s.status AS status, s.status_reason AS "reason",
       CAST(s.last_connections AS float8) AS "lastConnections", CAST(l.next_seq AS float8) AS "nextSeq",
       l.run_id AS "runId", CAST(l.queued AS float8) AS queued
     FROM sessions s JOIN lanes l ON l.id = s.id ORDER BY s.id`,
  );
  const runs = await ask<RunRow & { payload: string; result: string | null }>(
    `SELECT id, lane, state, CAST(position AS float8) AS position, retry_of AS "retryOf", idem_key AS "idemKey",
       CAST(crashes AS float8) AS crashes, CAST(attempts AS float8) AS attempts,
       CAST(first_seq AS float8) AS "firstSeq", CAST(last_seq AS float8) AS "lastSeq", payload, result
     FROM runs ORDER BY id`,
  );
  const events = await ask<Omit<EventRow, 'payload' | 'digest'> & { payload: string }>(
    `SELECT lane, CAST(seq AS float8) AS seq, run_id AS "runId", CAST(attempt AS float8) AS attempt, type,
       payload, CAST(at AS float8) AS at FROM events ORDER BY lane, seq`,
  );
  const connections = await ask<{ id: string }>('SELECT id FROM connections');
  const nodes = await ask<{ id: string }>('SELECT id FROM nodes');
  const [setting] = await ask<{ value: string }>(
    `SELECT value FROM settings WHERE name = 'installation'`,
  );
  return {
    sessions,
    runs: runs.map(({ payload, result, ...run }) => ({
      ...run,
      message: (JSON.parse(payload) as { message: string }).message,
      output: outputOf(result),
    })),
    events: events.map(toEvent),
    connections: connections.map(({ id }) => id),
    nodes: nodes.map(({ id }) => id),
    installation: setting?.value ?? '',
  };
}

const outputOf = (result: string | null): string | null =>
  result === null ? null : ((JSON.parse(result) as { output?: string } | null)?.output ?? null);

function toEvent(row: Omit<EventRow, 'payload' | 'digest'> & { payload: string }): EventRow {
  const payload = JSON.parse(row.payload) as Record<string, unknown>;
  const { seq, runId, attempt, type, at } = row;
  return { ...row, payload, digest: digestOf([seq, runId, attempt, type, payload, at]) };
}
