import { expect, test } from 'vitest';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { MessageRequest } from '../../contract/message.ts';
import { MessageOrder } from './arrival-order.ts';

/** Long enough to be masked in several turns of the event loop. */
const long = (name: string): string => `${name} ${'--'.repeat(60_000)}`;

async function queueRig() {
  const rig = await serviceRig({ executes: false });
  const { id } = await rig.session('busy', { agent: { kind: 'claude' } });
  const send = (message: string, key: string | null = null) =>
    rig.services.messages.send(ADMIN, id, MessageRequest.parse({ message }), key);
  const queued = async () =>
    (await rig.services.runs.list(ADMIN, { sessionId: id, state: 'queued' })).items;
  const names = async () => (await queued()).map((run) => String(run.message ?? '').split(' ')[0]);
  return { ...rig, id, send, queued, names };
}

test('[Q1] a short message does not overtake a long one that is still being masked', async () => {
  const { send, names, queued } = await queueRig();
  const messages = ['a', long('b'), 'c', long('d'), 'e', 'f'];
  await Promise.all(messages.map((message) => send(message)));
  expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  const ids = (await queued()).map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
});

test('[Q1] nor does a short edit', async () => {
  const { send, names, services } = await queueRig();
  const { runId } = await send('a');
  const edit = (message: string) => services.runs.edit(ADMIN, runId, { message });
  await Promise.all([edit(long('b')), edit('c')]);
  expect(await names()).toEqual(['c']);
  await Promise.all([edit('d'), edit(long('e'))]);
  expect(await names()).toEqual(['e']);
});

test('[Q10] a long message that is sent twice at the same time becomes one run', async () => {
  const { send, queued } = await queueRig();
  const receipts = await Promise.all([send(long('a'), 'key'), send(long('a'), 'key')]);
  expect(receipts[0]).toEqual(receipts[1]);
  expect(await queued()).toHaveLength(1);
  await expect(Promise.all([send(long('b'), 'other'), send('b', 'other')])).rejects.toMatchObject({
    code: 'idempotency_conflict',
  });
});

test('[Q1] a refused message keeps none waiting, and lets none overtake those before it', async () => {
  const order = new MessageOrder();
  const passed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const message = 'x'.repeat(20_000);
  const pass = (name: string, prepared: Promise<void>, sessionId = 'one') =>
    order.pass(
      { sessionId, message },
      () => prepared,
      async () => void passed.push(name),
    );
  const first = pass('first', promise);
  const refused = pass('refused', Promise.reject(new Error('refused')));
  const last = pass('last', Promise.resolve());
  await pass('other', Promise.resolve(), 'two');
  expect(passed).toEqual(['other']);
  resolve();
  await Promise.all([first, expect(refused).rejects.toThrow('refused'), last]);
  expect(passed).toEqual(['other', 'first', 'last']);
});
