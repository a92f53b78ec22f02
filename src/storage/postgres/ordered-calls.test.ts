import { expect, onTestFinished, test } from 'vitest';
import { admission } from '../../../test/support/admission.ts';
import { emptySchema } from '../../../test/support/postgres.ts';
import type { NewAuditEntry } from '../../access/principal.ts';
import { newId } from '../../contract/values/ids.ts';
import { newSessionOf } from '../../sessions/conformance/rig.ts';
import type { SendRequest } from '../../sessions/session-store.ts';
import { type Done, NO_HINT } from '../operations/dialect.ts';
import type { WriteCall } from '../operations/registry.ts';
import { OrderedCalls } from './ordered-calls.ts';
import { postgresStore } from './store.ts';

const requestOf = (sessionId: string, id: string, payload = '{}'): SendRequest => ({
  sessionId,
  admission: { ...admission(id, { lane: sessionId }), payload },
  original: null,
  queueMax: 100,
});

function callsRig() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const transact = async ({ name, args }: WriteCall): Promise<Done<unknown>> => {
    const [first] = args as readonly unknown[];
    const id = name === 'sendMessage' ? (first as SendRequest).admission.id : name;
    begun.push(id);
    await new Promise<void>((resolve) => ends.set(id, resolve));
    if (id === 'bad') throw new Error('bad');
    return { value: id, hint: NO_HINT };
  };
  const calls = new OrderedCalls(transact as never, (sends) => {
    begun.push(sends.map(({ args }) => args[0].admission.id).join('+'));
    return Promise.allSettled(
      sends.map(async ({ args }) => ({ value: args[0].admission.id, hint: NO_HINT })),
    );
  });
  const send = async (id: string, sessionId = 'one', more: object = {}) => {
    const args = [{ ...requestOf(sessionId, id), ...more }] as const;
    return (await calls.run<'sendMessage'>({ name: 'sendMessage', args })).value;
  };
  const steer = () => calls.run({ name: 'steerMessage', args: [{ sessionId: 'one' } as never] });
  return { begun, send, steer, end: (id: string) => ends.get(id)?.() };
}

test('[Q1] calls about a session are executed in order, and its waiting messages together', async () => {
  const { begun, send, steer, end } = callsRig();
  const attachments = [{ name: 'a', mediaType: 'text/plain', sealed: 'sealed' }];
  const sent = [send('1'), send('2'), send('3'), steer(), send('4', 'one', { attachments })];
  const others = send('other', 'two');
  expect(begun).toEqual(['1', 'other']);
  end('other');
  expect(await others).toBe('other');
  for (const id of ['1', 'steerMessage', '4']) {
    await expect.poll(() => begun).toContain(id);
    end(id);
  }
  await Promise.all(sent);
  expect(begun).toEqual(['1', 'other', '2+3', 'steerMessage', '4']);
  const again = send('5');
  expect(begun.at(-1)).toBe('5');
  end('5');
  expect(await again).toBe('5');
});

test('[Q1] a call that fails keeps none waiting', async () => {
  const { begun, send, end } = callsRig();
  const bad = send('bad');
  const next = send('next');
  end('bad');
  await expect(bad).rejects.toThrow('bad');
  await expect.poll(() => begun).toContain('next');
  end('next');
  expect(await next).toBe('next');
});

test('[Q1] long messages are not sent together', async () => {
  const { begun, send, end } = callsRig();
  const long = (id: string) =>
    send(id, 'one', requestOf('one', id, JSON.stringify('-'.repeat(100_000))));
  const sent = ['1', '2', '3', '4', '5'].map(long);
  end('1');
  await expect.poll(() => begun).toEqual(['1', '2+3', '4+5']);
  await Promise.all(sent);
});

async function storeRig() {
  const store = await postgresStore(await emptySchema());
  onTestFinished(() => store.close());
  const sessionId = newId();
  await store.createSession(newSessionOf(sessionId, 'session'));
  return { store, sessionId };
}

test('[Q1] a message that the database rejects affects none of those sent with it', async () => {
  const { store, sessionId } = await storeRig();
  const ids = Array.from({ length: 6 }, newId);
  const sent = await Promise.allSettled(
    // PostgreSQL stores no null characters.
    ids.map((id, i) => store.sendMessage(requestOf(sessionId, id, i === 3 ? '\0' : '{}'))),
  );
  expect(sent.map(({ status }) => status === 'fulfilled')).toEqual(ids.map((_, i) => i !== 3));
  expect(sent[3]).toMatchObject({ reason: { code: 'database_failed' } });
  const queued = await store.listQueued(sessionId, 10);
  expect(queued.map(({ id }) => id)).toEqual(ids.filter((_, i) => i !== 3));
});

test('[P6] messages that are sent together each have their line in the audit log', async () => {
  const { store, sessionId } = await storeRig();
  const ids = Array.from({ length: 6 }, newId);
  await Promise.all(
    ids.map((id, i) => {
      const request = requestOf(sessionId, id);
      if (i === 2) return store.sendMessage(request);
      return store.audited(entryOf(id)).sendMessage(request);
    }),
  );
  const lines = await store.listAudit({ limit: 10 });
  const targets = lines.toSorted((a, b) => a.seq - b.seq).map(({ target }) => target.id);
  expect(targets).toEqual(ids.filter((_, i) => i !== 2));
  expect(lines[0]).toMatchObject({ ...entryOf(targets.at(-1) ?? ''), before: null });
});

const entryOf = (id: string): NewAuditEntry => ({
  userId: 'admin',
  channel: 'api',
  credential: 'admin',
  address: '',
  requestId: null,
  action: 'message.send',
  target: { kind: 'session', id },
  before: null,
  after: { chars: 5 },
});
