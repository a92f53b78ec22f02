import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { SESSION_EVENTS } from '../../contract/session-event.ts';
import { refused } from '../../queue/conformance/rig.ts';
import {
  MINUTE,
  type OpenAt,
  SessionStoreRig,
  type SessionStores,
} from '../../sessions/conformance/rig.ts';
import { READY_GRACE_MS } from '../../sessions/session-machine.ts';
import { postgresStore } from './store.ts';

/* Two nodes on one database that change the same session at the same time. */

let database: TestDatabase;
let rig: SessionStoreRig;
let other: SessionStores;
const schemaOf = (name: string): string => `s${name.replaceAll('-', '')}`;
const open: OpenAt = (name, clock) =>
  postgresStore({ url: database.url, schema: schemaOf(name), clock });

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  rig = await SessionStoreRig.open(open);
  other = await open(rig.databaseName, () => rig.now);
});
afterEach(async () => {
  await other.close();
  await rig.close();
});

const sessions = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await rig.session('ACTIVE'));
  return ids;
};

/** The log holds a chain of changes that ends at the current status. */
async function checkChain(id: string): Promise<void> {
  const logged = (await rig.events(id, 'session.status')).map(({ payload }) =>
    SESSION_EVENTS['session.status'].parse(payload),
  );
  let status = 'PENDING';
  for (const { from, to } of logged) {
    expect(from).toBe(status);
    status = to;
  }
  expect(await rig.status(id)).toBe(status);
}

test('[S8] two nodes that reconcile at once change each session once', async () => {
  const ids = await sessions(30);
  rig.advance(READY_GRACE_MS);
  const reconciled = await Promise.all(
    [rig.store, other, rig.store, other].map((store) => store.reconcileSessions(100)),
  );
  const changed = [...reconciled.flatMap(({ changes }) => changes), ...(await rig.reconcileAll())];
  expect(changed.map(({ sessionId }) => sessionId).sort()).toEqual([...ids].sort());
  for (const id of ids) {
    expect(await rig.moves(id)).toEqual(['PENDING→ACTIVE ready', 'ACTIVE→IDLE quiet']);
  }
  rig.advance(30 * MINUTE);
  await Promise.all([rig.store, other].map((store) => store.reconcileSessions(100)));
  await rig.reconcileAll();
  for (const id of ids) expect((await rig.moves(id)).slice(2)).toEqual(['IDLE→TERMINATED idle']);
});

test('[S3] a message or a connection during a reconcile pass leaves no IDLE session behind', async () => {
  await rig.queue.node('node-1', { leaseMs: 60 * MINUTE });
  const ids = await sessions(20);
  rig.advance(READY_GRACE_MS);
  await Promise.all([
    ...ids.map((id, i) => (i % 2 === 0 ? rig.send(id) : rig.connect(id))),
    other.reconcileSessions(100),
    other.reconcileSessions(5),
  ]);
  await rig.reconcileAll();
  for (const id of ids) {
    expect(await rig.status(id)).toBe('ACTIVE');
    await checkChain(id);
  }
});

test('[S8] a session whose lane is locked is left for the next pass; the others are not', async () => {
  const [locked, free] = await sessions(2);
  const admin = new pg.Client({
    connectionString: database.url,
    options: `-c search_path=${schemaOf(rig.databaseName)}`,
  });
  await admin.connect();
  try {
    rig.advance(READY_GRACE_MS);
    await admin.query('BEGIN');
    await admin.query('SELECT 1 FROM lanes WHERE id = $1 FOR UPDATE', [locked]);
    const reconciled = await rig.reconcile();
    expect(reconciled).toMatchObject({ changes: [{ sessionId: free }], more: false });
    await admin.query('ROLLBACK');
    expect((await rig.reconcile()).changes).toMatchObject([{ sessionId: locked }]);
  } finally {
    await admin.end();
  }
});

test('[S5] of a message and a completion at once, the second sees the first', async () => {
  for (const id of await sessions(15)) {
    const [sent, completed] = await Promise.allSettled([
      rig.send(id),
      other.changeSession(id, { do: 'complete' }),
    ]);
    if (sent.status === 'fulfilled') {
      expect(completed).toMatchObject({ reason: refused('session_busy') });
      expect(await rig.current(id)).toMatchObject({
        unfinishedRuns: 1,
        session: { status: 'ACTIVE' },
      });
    } else {
      expect(sent.reason).toEqual(refused('session_ended'));
      expect(completed.status).toBe('fulfilled');
      expect(await rig.current(id)).toMatchObject({
        unfinishedRuns: 0,
        session: { status: 'COMPLETED' },
      });
    }
    await checkChain(id);
  }
});

test('[S12] messages, connections and reconcile passes during a removal leave nothing behind', async () => {
  await rig.queue.node('node-1', { leaseMs: 60 * MINUTE });
  const ids = await sessions(10);
  rig.advance(READY_GRACE_MS);
  await Promise.allSettled(
    ids.flatMap((id) => [
      rig.send(id),
      other.deleteSession(id),
      rig.connect(id),
      other.reconcileSessions(100),
    ]),
  );
  for (const id of ids) {
    expect(await rig.store.getSession(id)).toBeNull();
    expect(await rig.store.getLane(id)).toBeNull();
    expect(await rig.store.listAfter(id, 0, 10)).toEqual([]);
  }
  expect(await rig.queue.counts()).toEqual({});
});

test('[S9] two nodes that create a session of the same name at once create one', async () => {
  for (let i = 0; i < 5; i++) {
    const name = `name ${i}`;
    const made = await Promise.allSettled([
      rig.create({ name }),
      other.createSession(rig.newSession({ name })),
    ]);
    const failures = made.filter((one) => one.status === 'rejected');
    expect(failures.map(({ reason }) => reason)).toEqual([refused('name_taken')]);
  }
});

test('[S9] of two sessions renamed to the same name, one gets it', async () => {
  const [one, two] = await sessions(2);
  const rename = { do: 'update', changes: { name: 'wanted' } } as const;
  const renamed = await Promise.allSettled([
    rig.store.changeSession(one as string, rename),
    other.changeSession(two as string, rename),
  ]);
  const failures = renamed.filter((result) => result.status === 'rejected');
  expect(failures.map(({ reason }) => reason)).toEqual([refused('name_taken')]);
});
