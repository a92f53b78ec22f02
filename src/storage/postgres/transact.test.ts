import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { createDatabase } from '../../../test/support/postgres.ts';
import type { NewAuditEntry } from '../../access/principal.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { backoff } from '../../contract/functions/growing-wait.ts';
import type { NodeInfo } from '../../contract/node.ts';
import { postgresDialect } from './dialect.ts';
import { postgresStore } from './store.ts';
import { MOST_TRIES, transact } from './transact.ts';

const ENTRY: NewAuditEntry = {
  userId: 'admin',
  channel: 'api',
  credential: 'admin',
  address: '',
  requestId: null,
  action: 'session.update',
  target: { kind: 'system', id: 'all' },
  before: null,
  after: null,
};

const NODE: NodeInfo = {
  id: 'node',
  host: 'host',
  bootId: 'boot',
  pidNamespace: 'pid:1',
  pid: 7,
  pidStart: '1',
  roles: ['worker'],
  types: ['t'],
  capacity: 1,
  version: '0.0.0',
};

async function openStore() {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const store = await postgresStore({ url: database.url });
  onTestFinished(() => store.close());
  return store;
}

test('[P6] an operation that is usually one statement also writes its line in the audit log', async () => {
  const store = await openStore();
  const lines = async () => (await store.listAudit({ limit: 10 })).length;
  await store.audited(ENTRY).enqueue([admission('1', { lane: 'a' })]);
  expect(await lines()).toBe(1);
  await store.join(NODE, 60_000);
  const caps = { types: {}, perOwner: null };
  const claim = { nodeId: NODE.id, types: NODE.types, limit: 1, caps };
  const [claimed] = await store.audited(ENTRY).claim(claim);
  expect(claimed?.run.id).toBe('1');
  expect(await lines()).toBe(2);
  await store.audited(ENTRY).write([{ lane: 'a', fence: claimed!.fence, no: 1, events: [] }]);
  expect(await lines()).toBe(3);
});

test('[Q8] a transaction that loses races waits longer after each', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const tries: number[] = [];
  const pool = {
    options: { max: 1 },
    connect: async () => {
      tries.push(performance.now());
      throw Object.assign(new Error('lost'), { code: '40001' });
    },
  } as unknown as pg.Pool;
  const call = { name: 'enqueue', args: [[admission('1')]] } as const;
  await expect(
    transact<'enqueue'>(pool, postgresDialect(undefined), undefined, call),
  ).rejects.toMatchObject({ code: 'database_unreachable' });
  expect(tries).toHaveLength(MOST_TRIES);
  const waits = tries.slice(1).map((at, i) => at - tries[i]!);
  // Timers may fire up to a millisecond early.
  const early = waits.filter((wait, i) => wait < backoff(i + 1, { firstMs: 5, capMs: 40 }) - 1);
  expect(early).toEqual([]);
});

test('a write takes one connection, whether it is a single statement or a transaction', async () => {
  const store = await openStore();
  const connect = vi.spyOn(pg.Pool.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  const connections = async (act: () => Promise<unknown>): Promise<number> => {
    connect.mockClear();
    await act();
    // Hints, sent later, go through `Pool.query`, which passes a callback.
    return connect.mock.calls.filter((args: unknown[]) => args.length === 0).length;
  };
  const lane = { lane: 'a' };
  expect(await connections(() => store.enqueue([admission('1', lane)]))).toBe(1);
  expect(await connections(() => store.enqueue([admission('2', lane), admission('3', lane)]))).toBe(
    1,
  );
  expect(
    await connections(() => store.enqueue([admission('4', { ...lane, idempotencyKey: 'k' })])),
  ).toBe(1);
  const events = [eventOf('run.progress', null)];
  const outdated = { lane: 'a', fence: 1, no: 1, events };
  expect(await connections(() => store.write([outdated, { ...outdated, no: 2 }]))).toBe(1);
});
