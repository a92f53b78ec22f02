import pg from 'pg';
import type { AuditRow } from './check/evidence.ts';

async function ask<T extends object>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=baton' });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

export const auditBy = (url: string): Promise<AuditRow[]> =>
  ask(
    url,
    `SELECT CAST(seq AS float8) AS seq, user_id AS "userId", action, target_id AS target
     FROM audit ORDER BY seq`,
  );

/** Includes sessions whose creation was never acknowledged. */
export const ownersBy = (url: string): Promise<{ id: string; owner: string }[]> =>
  ask(url, 'SELECT id, owner FROM sessions');

export const nodesBy = (url: string): Promise<{ pid: number }[]> =>
  ask(url, 'SELECT CAST(pid AS float8) AS pid FROM nodes');

export const connectionRowsBy = async (url: string): Promise<number> =>
  (await ask(url, 'SELECT id FROM connections')).length;
