import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import { root, start } from '../../../test/support/processes.ts';
import { range, read, seqs } from '../../../test/support/tails.ts';
import { until } from '../../../test/support/until.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import type { Hint } from '../../queue/hint.ts';
import { RunQueue } from '../../queue/run-queue.ts';
import type { Store } from '../../queue/store.ts';
import { postgresStore } from './store.ts';

/** So long that a test that relies on polling instead of a hint does not end in time. */
const NEVER_MS = 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

async function open(url: string, schema: string): Promise<Store> {
  const store = await postgresStore({ url, schema });
  onTestFinished(() => store.close());
  return store;
}

const note = (store: Store, lane: string, payload: number): Promise<unknown> =>
  store.change({ do: 'note', lane, event: eventOf('run.progress', payload) });

test('[E1] another process gets hints over LISTEN, without polling', async () => {
  const writer = await open(database.url, 'hints');
  const queue = new RunQueue(await open(database.url, 'hints'), { follow: { pollMs: NEVER_MS } });
  const tail = queue.tail('l');
  const all = read(tail, 20);
  for (const n of range(1, 20)) await note(writer, 'l', n);
  expect(seqs(await all)).toEqual(range(1, 20));
});

test('[E1] too many lanes for one notification: all followed lanes are checked', async () => {
  const writer = await open(database.url, 'many');
  const reader = await open(database.url, 'many');
  const hints: Hint[] = [];
  reader.onHint((hint) => hints.push(hint));
  const queue = new RunQueue(reader, { follow: { pollMs: NEVER_MS } });
  const lanes = range(1, 400).map((n) => `a-lane-with-a-long-name-${n}`);
  const tails = lanes.map((lane) => queue.tail(lane));
  const growth = queue.hints();
  const grew = growth.next();
  const all = Promise.all(tails.map((tail) => read(tail, 1)));
  await writer.enqueue(
    lanes.map((lane) => ({
      id: `run-${lane}`,
      type: 't',
      payload: '{}',
      lane,
      owner: '',
      runAt: null,
      delayMs: null,
      maxAttempts: 5,
      idempotencyKey: null,
      bodyHash: null,
      onBusy: 'enqueue' as const,
    })),
  );
  for (const events of await all) expect(seqs(events)).toEqual([1]);
  expect(hints.some(({ all, lanes }) => all === true && lanes.length === 0)).toBe(true);
  expect((await grew).done).toBe(false);
});

test('[E1] [E3] the LISTEN connection ends mid-stream: nothing is lost', async () => {
  const writer = await open(database.url, 'cut');
  const reader = await open(database.url, 'cut');
  // Only a reconnect can make up for hints sent while nothing listened.
  const queue = new RunQueue(reader, { follow: { pollMs: NEVER_MS } });
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  onTestFinished(() => admin.end());
  const endListeners = async (): Promise<number> => {
    const { rowCount } = await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query = 'LISTEN cut_hints'`,
    );
    return rowCount ?? 0;
  };
  const tail = queue.tail('l');
  const all = read(tail, 60);
  const growth = queue.hints();
  for (let n = 1; n <= 60; n++) {
    await note(writer, 'l', n);
    // Again as soon as they listen again; the last twenty are written while none does.
    if (n === 20 || n === 40) await until(async () => (await endListeners()) > 0);
  }
  expect(seqs(await all)).toEqual(range(1, 60));
  for (let all = false; !all; ) {
    const { value } = await growth.next();
    all = value !== undefined && 'all' in value;
  }
});

test('[E3] [O5] the server restarts mid-stream: tails stay open and continue', async () => {
  const server = await startPostgres({});
  onTestFinished(() => server.remove());
  const writer = await open(server.url, 'baton');
  const queue = new RunQueue(await open(server.url, 'baton'));
  const tails = range(1, 20).map(() => queue.tail('l'));
  const all = Promise.all(tails.map((tail) => read(tail, 40)));
  for (const n of range(1, 20)) await note(writer, 'l', n);
  await server.stop('immediate');
  const late = queue.tail('l', { after: 10 });
  await server.start();
  for (const n of range(21, 40)) {
    await until(() =>
      note(writer, 'l', n).then(
        () => true,
        () => false,
      ),
    );
  }
  for (const events of await all) expect(seqs(events)).toEqual(range(1, 40));
  expect(seqs(await read(late, 30))).toEqual(range(11, 40));
});

test('[E3] two processes: a hundred tails see everything the other one writes', async () => {
  const own = await createDatabase();
  onTestFinished(() => own.drop());
  await (await postgresStore({ url: own.url })).close();
  const fixture = (name: string, ...args: string[]) =>
    start(process.execPath, [join(root, 'test/fixtures', name), own.url, ...args]);
  const reader = fixture('follow-lanes.ts', '100', '20', '50');
  await reader.line('following');
  const writer = fixture('write-lanes.ts', '20', '50');
  await writer.line('written');
  expect(JSON.parse(await reader.line('read '))).toEqual({ lanes: 0, tails: 0 });
  expect(await reader.exit).toMatchObject({ code: 0 });
  expect(await writer.exit).toMatchObject({ code: 0 });
});
