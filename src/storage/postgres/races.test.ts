import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import type { Store } from '../../queue/store.ts';
import {
  type Arguments,
  operation,
  type WriteCall,
  type WriteName,
} from '../operations/registry.ts';
import { type Op, query } from '../statement.ts';
import { clientConfig, makePool } from './connect.ts';
import { postgresDialect } from './dialect.ts';
import { inTransaction } from './run.ts';
import { postgresStore } from './store.ts';

/* A statement waits for a lock, and the data has changed by the time it gets the lock. */

let database: TestDatabase;
let store: Store;
let admin: pg.Client;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  store = await postgresStore({ url: database.url });
  admin = new pg.Client({ connectionString: database.url, options: '-c search_path=baton' });
  await admin.connect();
  pool = makePool({ url: database.url, schema: 'baton' }, 2);
});
afterAll(async () => {
  await store.close();
  await pool.end();
  await admin.end();
  await database.drop();
});

const caps = { types: {}, perOwner: null };

/** A run with its own type, begun on its own node. */
async function begin(name: string): Promise<{ lane: string; fence: number }> {
  const identity = { host: 'h', bootId: '', pidNamespace: '', pid: 1, pidStart: '' };
  const node = { id: name, ...identity, types: [name], capacity: 10, version: '' };
  await store.join({ ...node, roles: ['worker'] }, 60_000);
  await store.enqueue([admission(name, { type: name, lane: name })]);
  const [claimed] = await store.claim({ nodeId: name, types: [name], limit: 1, caps });
  await store.write([{ lane: name, fence: claimed!.fence, no: 1, start: true }]);
  return { lane: name, fence: claimed!.fence };
}

const GATE = 4711;

/** The real operation, whose transaction stays open after its last statement until `open()`. */
async function held<N extends WriteName>(name: N, ...args: Arguments<N>) {
  await admin.query('SELECT pg_advisory_lock($1)', [GATE]);
  const done = inTransaction(pool, undefined, function* (now): Op<void> {
    yield* operation({ name, args } as WriteCall, postgresDialect(undefined), now);
    yield* query('SELECT pg_advisory_xact_lock($1)', [GATE]);
  });
  await waiting(1);
  const open = async (): Promise<void> => {
    await admin.query('SELECT pg_advisory_unlock($1)', [GATE]);
    await done;
  };
  return { open };
}

/** Waits until `n` statements wait for a lock in this database; other tests share the server. */
const waiting = (n: number): Promise<void> =>
  until(async () => {
    const { rows } = await admin.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]!.n >= n;
  });

test('[Q10] an outcome committed while a takeover waits ends the run', async () => {
  const of = await begin('commits');
  const commit = { kind: 'succeeded', result: 42 } as const;
  const writing = await held('write', [{ ...of, no: 2, commit }]);
  const takeover = store.takeOver(['commits']);
  await waiting(2);
  await writing.open();
  expect(await takeover).toMatchObject([{ state: 'succeeded', crashes: 0 }]);
  expect(await store.get('commits')).toMatchObject({ state: 'succeeded', result: 42 });
});

test('[Q8] a question asked while a takeover waits stays open', async () => {
  const of = await begin('asks');
  const counts = await store.counts();
  const asking = await held('write', [{ ...of, no: 2, ask: true }]);
  const takeover = store.takeOver(['asks']);
  await waiting(2);
  await asking.open();
  await takeover;
  expect(await store.get('asks')).toMatchObject({ state: 'waiting', crashes: 0 });
  expect(await store.counts()).toEqual({
    ...counts,
    running: counts.running - 1,
    waiting: counts.waiting + 1,
  });
});

test('[Q8] an answered run that is handed back while it regains its slot keeps its answer', async () => {
  const of = await begin('answered');
  await store.write([{ ...of, no: 2, ask: true }]);
  await store.change({ do: 'answer', run: 'answered' });
  const retaking = await held('claim', { nodeId: 'answered', types: ['none'], limit: 1, caps });
  const outcome = { kind: 'handed_back', reason: 'stopping' } as const;
  const writing = store.write([{ ...of, no: 3, end: { outcome, retryDelayMs: 0 } }]);
  await waiting(2);
  await retaking.open();
  expect(await writing).toEqual([true]);
  expect(await store.get('answered')).toMatchObject({ state: 'queued' });
});

test('[Q9] a cancel requested while a write waits is not undone', async () => {
  const of = await begin('wished');
  const wishing = await held('change', { do: 'cancel', run: 'wished', kind: 'stop' });
  const commit = { kind: 'succeeded', result: 1 } as const;
  const writing = store.write([{ ...of, no: 2, commit }]);
  await waiting(2);
  await wishing.open();
  expect(await writing).toEqual([true]);
  expect((await store.get('wished'))?.cancelRequestedAt).not.toBeNull();
});

const ENDS = { outcome: { kind: 'succeeded', result: null }, retryDelayMs: 0 } as const;

test("[Q1] a run that joins while the end of the previous one waits is the lane's next", async () => {
  const of = await begin('joined');
  const joining = await held('enqueue', [admission('joins', { type: 'another', lane: 'joined' })]);
  const ending = store.write([{ ...of, no: 2, end: ENDS }]);
  await waiting(2);
  await joining.open();
  expect(await ending).toEqual([true]);
  expect(await store.getLane('joined')).toMatchObject({ state: 'ready', headType: 'another' });
  const log = await store.listAfter('joined', 0, 20);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1));
});

test('[Q9] a claim that waits while everything is stopped gives out nothing', async () => {
  await begin('stopped');
  await store.enqueue([admission('not-claimed', { type: 'stopped', lane: 'not-claimed' })]);
  const claim = () => store.claim({ nodeId: 'stopped', types: ['stopped'], limit: 5, caps });
  const stopping = await held('setStop', { by: 'ann', reason: null });
  const claiming = claim();
  await waiting(2);
  await stopping.open();
  expect(await claiming).toEqual([]);
  await store.setStop(null);
  expect((await claim()).map(({ run }) => run.id)).toEqual(['not-claimed']);
});

test('[Q9] stopping everything waits for a claim in progress', async () => {
  await begin('claims');
  await store.enqueue([admission('claimed', { type: 'claims', lane: 'claimed' })]);
  const request = { nodeId: 'claims', types: ['claims'], limit: 5, caps };
  const claiming = await held('claim', request);
  const stopping = store.setStop({ by: 'ann', reason: null });
  await waiting(2);
  await claiming.open();
  await stopping;
  expect(await store.get('claimed')).toMatchObject({ state: 'dequeued' });
  expect(await store.claim(request)).toEqual([]);
  await store.setStop(null);
});

test('[Q9] a cancel requested while a success waits is recorded', async () => {
  const of = await begin('late');
  const wishing = await held('change', { do: 'cancel', run: 'late', kind: 'stop' });
  const ending = store.write([{ ...of, no: 2, end: ENDS }]);
  await waiting(2);
  await wishing.open();
  expect(await ending).toEqual([true]);
  const run = await store.get('late');
  expect(run).toMatchObject({ state: 'succeeded', error: null });
  expect(run?.cancelRequestedAt).not.toBeNull();
  expect(await store.getLane('late')).toMatchObject({ state: 'idle', cancel: null });
});

test('[Q6] a success that waits for a takeover changes nothing', async () => {
  const of = await begin('lost');
  const taking = await held('takeOverNode', 'lost', true);
  const ending = store.write([{ ...of, no: 2, end: ENDS }]);
  await waiting(2);
  await taking.open();
  expect(await ending).toEqual([false]);
  expect(await store.get('lost')).toMatchObject({ state: 'queued', crashes: 1 });
});

test('[Q1] a run enqueued while another joins the same new lane comes after it', async () => {
  const first = await held('enqueue', [admission('first', { lane: 'new' })]);
  const second = store.enqueue([admission('second', { lane: 'new' })]);
  await waiting(2);
  await first.open();
  expect(await second).toMatchObject([{ position: 1 }]);
  const queued = await store.listQueued('new', 5);
  expect(queued.map(({ id }) => id)).toEqual(['first', 'second']);
});

test('[Q5] a locked lane does not delay claims of other lanes', async () => {
  const of = await begin('delayed');
  const error = { class: 'unknown', message: 'again' } as const;
  const ending = { outcome: { kind: 'failed', error }, retryDelayMs: 0 } as const;
  await store.write([{ ...of, no: 2, end: ending }]);
  await store.enqueue([admission('other', { type: 'delayed', lane: 'other' })]);
  const claim = () => store.claim({ nodeId: 'delayed', types: ['delayed'], limit: 5, caps });
  await admin.query('BEGIN');
  await admin.query(`SELECT id FROM lanes WHERE id = 'delayed' FOR UPDATE`);
  expect((await claim()).map(({ run }) => run.id)).toEqual(['other']);
  await admin.query('COMMIT');
  expect((await claim()).map(({ run }) => run.id)).toEqual(['delayed']);
});

test('[Q21] a lane set to keep its runs while a purge waits keeps them', async () => {
  const of = await begin('kept');
  const outcome = { kind: 'succeeded', result: null } as const;
  await store.write([{ ...of, no: 2, end: { outcome, retryDelayMs: 0 } }]);
  const keeping = await held('change', {
    do: 'configure',
    lane: 'kept',
    settings: { kept: true },
  });
  const purging = store.purge({ before: Number.MAX_SAFE_INTEGER, limit: 100 });
  await waiting(2);
  await keeping.open();
  await purging;
  expect(await store.get('kept')).not.toBeNull();
});

test('[O3] a column added by a later version does not stop a running node', async () => {
  await begin('older');
  const read = async () => {
    await store.poll('older');
    await store.listAfter('older', 0, 10);
    await store.listAfter('older', 0, 10, 'older');
    await store.listAfterEach([{ lane: 'older', after: 0, limit: 5 }]);
    await store.dueSchedules({ limit: 5, after: null });
    await store.enqueue([admission(crypto.randomUUID(), { type: 'older', lane: null })]);
    const claimed = await store.claim({ nodeId: 'older', types: ['older'], limit: 5, caps });
    expect(claimed).toMatchObject([{ run: { type: 'older', state: 'dequeued' } }]);
    const { run, fence } = claimed[0]!;
    expect(await store.write([{ lane: run.lane, fence, start: true, end: ENDS }])).toEqual([true]);
  };
  await read();
  for (const table of ['nodes', 'lanes', 'runs', 'events', 'schedules', 'run_counts']) {
    await admin.query(`ALTER TABLE ${table} ADD COLUMN later text`);
  }
  await read();
});

test('options in the address are kept and do not replace those of the store', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c geqo=off -c statement_timeout=1');
  const client = new pg.Client(clientConfig({ url: url.href, schema: 'baton' }));
  await client.connect();
  const show = async (name: string) => (await client.query(`SHOW ${name}`)).rows[0][name];
  expect(await show('geqo')).toBe('off');
  expect(await show('search_path')).toBe('baton');
  expect(await show('statement_timeout')).toBe('15s');
  await client.end();
});
