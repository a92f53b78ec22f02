import pg from 'pg';
import type { EventRow, Evidence, LaneRow, RunRow, ScheduleRow } from './check/evidence.ts';
import { digestOf } from './setup.ts';

type Tables = Pick<
  Evidence,
  'lanes' | 'runs' | 'events' | 'counts' | 'schedules' | 'nodes' | 'now'
>;

/** Reads the tables with plain SQL. */
export async function collect(url: string): Promise<Tables> {
  return withClient(url, async (client) => {
    const rows = async <T extends object>(text: string): Promise<T[]> =>
      (await client.query<T>(text)).rows;
    const lanes = await rows<LaneRow>(
      `SELECT id, held = 1 AS held, nullif(host, '') AS host, pin = 1 AS pin, next_seq::float8 AS "nextSeq"
       FROM lanes ORDER BY id`,
    );
    const runs = await rows<RunRow>(
      `SELECT id, lane, owner, type, state, attempts::float8, max_attempts::float8 AS "maxAttempts",
         crashes::float8, position::float8, retry_of AS "retryOf", idem_key AS "idemKey", run_at::float8 AS "runAt",
         finished_at::float8 AS "finishedAt", first_seq::float8 AS "firstSeq", last_seq::float8 AS "lastSeq",
         (payload::json ->> 'n')::float8 AS request, result::json ->> 'node' AS "resultNode"
       FROM runs ORDER BY id`,
    );
    const events = await rows<Omit<EventRow, 'payload' | 'digest'> & { payload: string }>(
      `SELECT lane, seq::float8, run_id AS "runId", attempt::float8, type, payload, at::float8,
         (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1e6)::float8 AS "committedAt"
       FROM events ORDER BY lane, seq`,
    );
    const counts = await rows<{ state: string; n: number }>(
      'SELECT state, sum(n)::float8 AS n FROM run_counts GROUP BY state',
    );
    const schedules = await rows<ScheduleRow>(
      'SELECT id, last_at::float8 AS "lastAt", last_run_id AS "lastRunId" FROM schedules',
    );
    const nodes = await rows<{ id: string }>('SELECT id FROM nodes');
    const [time] = await rows<{ now: number }>(
      '(SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now)',
    );
    return {
      lanes,
      runs,
      events: events.map((row) => toEvent(row)),
      counts: Object.fromEntries(counts.map(({ state, n }) => [state, n])),
      schedules,
      nodes: nodes.map(({ id }) => id),
      now: time!.now,
    };
  });
}

function toEvent(row: Omit<EventRow, 'payload' | 'digest'> & { payload: string }): EventRow {
  const payload = JSON.parse(row.payload) as Record<string, unknown>;
  const { seq, runId, attempt, type, at } = row;
  return { ...row, payload, digest: digestOf([seq, runId, attempt, type, payload, at]) };
}

/** The nodes in the table, with their process ids. */
export const nodesIn = (url: string): Promise<{ id: string; pid: number }[]> =>
  withClient(
    url,
    async (client) =>
      (await client.query<{ id: string; pid: number }>('SELECT id, pid::int FROM nodes')).rows,
  );

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=baton' });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
