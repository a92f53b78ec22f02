import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import type { Store } from '../../queue/store.ts';
import type { BatonStore } from '../operations/baton-store.ts';
import { postgresStore } from './store.ts';

/*
 * [Q5] The shape of the plans with a million queued runs: the server's own counters show which tables were
 * read in full and how many rows were touched, by whatever statement.
 */

const LANES = 100_000;
const USERS = 10_000;
const RUNS_PER_LANE = 10;
const NODE = 'node-1';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  const store = await postgresStore({ url: database.url });
  admin = new pg.Client({ connectionString: database.url, options: '-c search_path=baton' });
  await admin.connect();
  await admin.query(`
    INSERT INTO lanes SELECT 'lane-' || i, 'user-' || (i % ${USERS}), '', 0, 0, 0, 'ready', 0, NULL, 't', ${RUNS_PER_LANE},
      i, 0, NULL, 0, NULL, NULL, 1024 * ${RUNS_PER_LANE + 1}, 0, 1 FROM generate_series(1, ${LANES}) i;
    INSERT INTO runs (id, lane, owner, type, payload, state, attempts, max_attempts, crashes, position, kept, created_at, updated_at, first_seq)
      SELECT 'run-' || i || '-' || k, 'lane-' || i, 'user-' || (i % ${USERS}), 't', '{}', 'queued', 0, 5, 0, k * 1024, 0, 0, 0, 1
      FROM generate_series(1, ${LANES}) i, generate_series(1, ${RUNS_PER_LANE}) k;
    INSERT INTO sessions (id, owner, name, description, tags, labels, agent, workspace, isolation, template_config,
      idle_timeout_s, status_reason, last_active_at, cost_usd, last_connections, created_at, updated_at, status)
      SELECT id, owner, id, '', '[]', '[]', '{}', '{}', 'none', 'null', 60, 'created', 0, 0, 0, 0, 0, 'PENDING' FROM lanes;
    INSERT INTO shares SELECT 'lane-' || i, 'admin', 'view' FROM generate_series(11, 20) i;
    -- Every user has a lane on this host, one on another, and one on a host that is away.
    INSERT INTO lanes SELECT 'pinned-' || i, 'user-' || (i % ${USERS}), (ARRAY['h', 'h2', 'away'])[1 + i % 3], 0, 0, 0, 'ready', 0, NULL,
      'pinned', 1, i, 0, NULL, 0, NULL, NULL, 2048, 0, 1 FROM generate_series(1, ${3 * USERS}) i;
    INSERT INTO runs (id, lane, owner, type, payload, state, attempts, max_attempts, crashes, position, kept, created_at, updated_at, first_seq)
      SELECT 'run-' || id, id, owner, 'pinned', '{}', 'queued', 0, 5, 0, 1024, 0, 0, 0, 1 FROM lanes WHERE head_type = 'pinned';
    INSERT INTO users (id, name, folded, role, created_at) VALUES ('guest', 'guest', 'guest', 'operator', 0);
    INSERT INTO shares VALUES ('lane-30', 'guest', 'operate');
    INSERT INTO run_counts VALUES ('queued', ${LANES * RUNS_PER_LANE});
    ANALYZE;
  `);
  for (const [id, host] of [
    [NODE, 'h'],
    ['node-2', 'h2'],
  ] as const) {
    const identity = { bootId: 'b', pidNamespace: 'n', pid: 1, pidStart: '1', version: '1' };
    const worker = { roles: ['worker' as const], types: ['t', 'pinned'], capacity: 1000 };
    await store.join({ id, host, ...identity, ...worker }, 600_000);
  }
  await store.close();
}, 120_000);

afterAll(async () => {
  await admin.end();
  await database.drop();
});

interface Touched {
  seq_scan: number;
  rows: number;
}

/**
 * How much each table's counters rose while `act` ran. A backend may not report its reads until it ends,
 * so `act` gets its own connections, and we wait for them to end.
 */
async function touched(
  act: (store: BatonStore) => Promise<unknown>,
): Promise<Record<string, Touched>> {
  const before = await counters();
  const own = await postgresStore({ url: database.url, poolSize: 1 });
  await act(own);
  await own.close();
  const after = await counters();
  return Object.fromEntries(
    Object.entries(after).map(([table, now]) => [
      table,
      { seq_scan: now.seq_scan - before[table]!.seq_scan, rows: now.rows - before[table]!.rows },
    ]),
  );
}

async function counters(): Promise<Record<string, Touched>> {
  for (let others = 1; others > 0; ) {
    const { rows } = await admin.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    others = rows[0]!.n;
  }
  const { rows } = await admin.query<{ relname: string; seq_scan: string; rows: string }>(
    `SELECT relname, seq_scan, coalesce(idx_tup_fetch, 0) + seq_tup_read AS rows
     FROM pg_stat_user_tables WHERE schemaname = 'baton'`,
  );
  return Object.fromEntries(
    rows.map((row) => [row.relname, { seq_scan: Number(row.seq_scan), rows: Number(row.rows) }]),
  );
}

const claim = (store: Store, limit: number) =>
  store.claim({
    nodeId: NODE,
    types: ['t', 'other'],
    limit,
    caps: { types: { other: 4 }, perOwner: 5 },
  });

test('[Q5] a claim reads no table in full; the rows it touches depend on the slots, not on the backlog', async () => {
  const claimed: Awaited<ReturnType<typeof claim>> = [];
  const seen = await touched(async (own) => claimed.push(...(await claim(own, 8))));
  expect(claimed).toHaveLength(8);
  expect(new Set(claimed.map(({ run }) => run.owner)).size).toBe(8);
  expect(seen['lanes']!.seq_scan).toBe(0);
  expect(seen['runs']!.seq_scan).toBe(0);
  expect(seen['events']!.seq_scan).toBe(0);
  expect(seen['lanes']!.rows).toBeGreaterThanOrEqual(8);
  expect(seen['lanes']!.rows).toBeLessThan(200);
  expect(seen['runs']!.rows).toBeLessThan(100);
});

test('[Q5] the rows touched by a claim that chooses among hosts depend on the slots, too', async () => {
  const claimed: Awaited<ReturnType<typeof claim>> = [];
  const caps = { types: { pinned: 8 }, perOwner: 5 };
  const seen = await touched(async (own) =>
    claimed.push(...(await own.claim({ nodeId: NODE, types: ['pinned'], limit: 8, caps }))),
  );
  const { rows } = await admin.query('SELECT type, host, cap FROM claim_turns');
  expect(rows).toEqual([{ type: 'pinned', host: 'h2', cap: '8' }]);
  expect(claimed.length).toBeGreaterThan(0);
  expect(claimed.length).toBeLessThan(8);
  for (const table of ['lanes', 'runs', 'events']) expect(seen[table]!.seq_scan).toBe(0);
  expect(seen['lanes']!.rows).toBeLessThan(300);
  expect(seen['runs']!.rows).toBeLessThan(100);
});

test('[Q5] ending runs and reading the next run of each lane uses keys', async () => {
  const seen = await touched(async (own) => {
    const claimed = await claim(own, 8);
    await own.write(
      claimed.map(({ run, fence }) => ({
        lane: run.lane,
        fence,
        start: true,
        end: { outcome: { kind: 'succeeded' as const, result: null }, retryDelayMs: 0 },
      })),
    );
  });
  expect(seen['lanes']!.seq_scan).toBe(0);
  expect(seen['runs']!.seq_scan).toBe(0);
  expect(seen['runs']!.rows).toBeLessThan(100);
  expect(seen['lanes']!.rows).toBeLessThan(100);
});

test('[Q5] enqueue, poll, commands and reads use keys', async () => {
  const seen = await touched(async (own) => {
    const one = admission('new', { type: 't', lane: 'lane-7', owner: 'user-7' });
    await own.enqueue([{ ...one, idempotencyKey: 'k', bodyHash: 'h' }]);
    // A simple one takes another path.
    await own.enqueue([{ ...one, id: 'plain' }]);
    await own.change({ do: 'move', run: 'new', before: 'run-7-5' });
    await own.change({ do: 'cancel', run: 'new', kind: 'stop' });
    await own.poll(NODE);
    await own.get('run-9-1');
    await own.listQueued('lane-9', 5);
    await own.listQueued('lane-9', 5, 'run-9-3');
    await own.listAfter('lane-7', 0, 10);
    await own.listAfter('lane-7', 0, 10, 'run-7-1');
    await own.listAfterEach([
      { lane: 'lane-7', after: 0, limit: 10 },
      { lane: 'lane-8', after: 0, limit: 10 },
    ]);
    await own.lastSeqs(['lane-7', 'lane-8', 'none']);
    await own.unhandledTypes();
    await own.takeOver([]);
    await own.purge({ before: 1, limit: 100 });
  });
  expect(seen['lanes']!.seq_scan).toBe(0);
  expect(seen['runs']!.seq_scan).toBe(0);
  expect(seen['events']!.seq_scan).toBe(0);
  expect(seen['runs']!.rows).toBeLessThan(200);
  expect(seen['lanes']!.rows).toBeLessThan(200);
});

test('[Q5] [Q10] a new message and one with a known key use keys', async () => {
  const seen = await touched(async (own) => {
    const admitted = admission('message', { idempotencyKey: 'm', bodyHash: 'h' });
    const request = { sessionId: 'lane-30', original: 'sealed', queueMax: 100 };
    for (const userId of ['user-30', 'user-30', 'guest', 'admin']) {
      const sent = own.sendMessage({ ...request, userId, admission: admitted });
      if (userId === 'admin') await expect(sent).rejects.toMatchObject({ code: 'not_found' });
      else expect((await sent).receipt).toMatchObject({ id: 'message', position: RUNS_PER_LANE });
    }
  });
  for (const table of ['lanes', 'runs', 'sessions', 'events', 'steers', 'shares', 'originals']) {
    expect([table, seen[table]!.seq_scan]).toEqual([table, 0]);
  }
  expect(seen['runs']!.rows).toBeLessThan(100);
  expect(seen['lanes']!.rows).toBeLessThan(20);
  expect(seen['sessions']!.rows).toBeLessThan(20);
});

test('[X3] what a user sees is read by key, without reading what others have', async () => {
  const seen = await touched(async (own) => {
    for (const visibleTo of ['user-9', 'admin']) {
      for (const order of ['created', 'activity'] as const) {
        const filter = { visibleTo, archived: false, limit: 50, order };
        expect(await own.listSessions(filter)).toHaveLength(10);
      }
      expect(await own.listVisibleRuns(visibleTo, { limit: 1000 })).toHaveLength(100);
      await own.listVisibleRuns(visibleTo, { limit: 20, states: ['queued'] });
      expect((await own.countVisible(visibleTo)).queued).toBeGreaterThan(90);
      await own.stats(visibleTo);
    }
  });
  for (const table of ['sessions', 'lanes', 'runs']) expect(seen[table]!.seq_scan).toBe(0);
  expect(seen['sessions']!.rows).toBeLessThan(500);
  expect(seen['lanes']!.rows).toBeLessThan(500);
  expect(seen['runs']!.rows).toBeLessThan(2000);
});

test('[Q19] counts of a million runs read only the counters', async () => {
  const seen = await touched(async (own) => {
    const counts = await own.counts();
    expect(counts.queued).toBeGreaterThan(LANES * RUNS_PER_LANE - 100);
  });
  expect(seen['runs']!.rows).toBe(0);
  expect(seen['lanes']!.rows).toBe(0);
});
