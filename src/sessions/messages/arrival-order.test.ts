import { describe, expect, test } from 'vitest';
import { emptySchema } from '../../../test/support/postgres.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { MessageRequest } from '../../contract/message.ts';
import { postgresStore } from '../../storage/postgres/store.ts';
import { ArrivalOrder } from './arrival-order.ts';

const OPTIONS = {
  SQLite: {},
  PostgreSQL: { openStore: async () => postgresStore(await emptySchema()) },
};
/** Where the calls of a client run on connections of their own, one attempt may be lucky. */
const ATTEMPTS = 3;

/** Long enough to be masked in several turns of the event loop. */
const long = (name: string): string => `${name} ${'--'.repeat(60_000)}`;

async function queueRig(database: keyof typeof OPTIONS) {
  const rig = await serviceRig({ executes: false, ...OPTIONS[database] });
  const { id } = await rig.session('busy', { agent: { kind: 'claude' } });
  const send = (message: string, key: string | null = null) =>
    rig.services.messages.send(ADMIN, id, MessageRequest.parse({ message }), key);
  const queued = async () =>
    (await rig.services.runs.list(ADMIN, { sessionId: id, state: 'queued' })).items;
  const names = async () => (await queued()).map((run) => String(run.message ?? '').split(' ')[0]);
  return { ...rig, id, send, queued, names };
}

describe.each(['SQLite', 'PostgreSQL'] as const)('%s', (database) => {
  test('[Q1] messages are stored in the order in which they arrive', async () => {
    const { send, names, queued } = await queueRig(database);
    const expected: string[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const messages = ['a', long('b'), 'c', long('d'), 'e', 'f', 'g'];
      await Promise.all(messages.map((message) => send(message)));
      expected.push('a', 'b', 'c', 'd', 'e', 'f', 'g');
    }
    expect(await names()).toEqual(expected);
    const ids = (await queued()).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
  });

  test('[Q1] so are the edits of a run', async () => {
    const { send, names, services } = await queueRig(database);
    const { runId } = await send('a');
    const edit = (message: string) => services.runs.edit(ADMIN, runId, { message });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      await Promise.all([edit(long('b')), edit('c')]);
      expect(await names()).toEqual(['c']);
      await Promise.all([edit('d'), edit('e'), edit('f'), edit(long('g'))]);
      expect(await names()).toEqual(['g']);
    }
  });

  test('[Q10] a long message that is sent twice at the same time becomes one run', async () => {
    const { send, queued } = await queueRig(database);
    const receipts = await Promise.all([send(long('a'), 'key'), send(long('a'), 'key')]);
    expect(receipts[0]).toEqual(receipts[1]);
    expect(await queued()).toHaveLength(1);
    const others = Promise.all([send(long('b'), 'other'), send('b', 'other')]);
    await expect(others).rejects.toMatchObject({ code: 'idempotency_conflict' });
  });
});

test('[Q1] what is ready first does not overtake what arrived first; other sessions and people do', async () => {
  const order = new ArrivalOrder();
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const pass = (name: string, prepared: Promise<void>, id = 'one', userId = 'hanako') =>
    order.pass(
      { userId },
      id,
      () => prepared,
      async () => void passed.push(name),
    );
  const first = pass('first', promise);
  const refused = pass('refused', Promise.reject(new Error('refused')));
  const last = pass('last', Promise.resolve());
  await pass('other', Promise.resolve(), 'two');
  // Someone else may not even have access to the session.
  await pass('stranger', Promise.resolve(), 'one', 'taro');
  expect(passed).toEqual(['other', 'stranger']);
  resolve();
  await Promise.all([first, expect(refused).rejects.toThrow('refused'), last]);
  expect(passed).toEqual(['other', 'stranger', 'first', 'last']);
});

test('[Q1] a message does not wait until the earlier ones are stored', async () => {
  const order = new ArrivalOrder();
  const { promise, resolve } = Promise.withResolvers<string>();
  const ready = async (): Promise<void> => {};
  const first = order.pass(ADMIN, 'one', ready, () => promise);
  expect(await order.pass(ADMIN, 'one', ready, async () => 'second')).toBe('second');
  resolve('first');
  expect(await first).toBe('first');
});
