import pg from 'pg';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { MessageReceipt } from '../../src/contract/message.ts';
import { toTime } from '../../src/contract/values/time.ts';
import { compose } from '../../src/node/compose.ts';
import { SECRETS } from '../../src/policy/masking/corpus.ts';
import { createMasker } from '../../src/policy/masking/masking.ts';
import { SILENT } from '../../src/queue/logger.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import { requestAuthenticator } from '../../src/server/request-authenticator.ts';
import { postgresStore } from '../../src/storage/postgres/store.ts';
import { appRig } from '../support/app-rig.ts';
import { ADMIN_TOKEN, authenticatorOver, peopleOf } from '../support/authenticator-rig.ts';
import { createDatabase } from '../support/postgres.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { until } from '../support/until.ts';

/* How many statements a message takes: each is a round trip that the sender waits for. */

afterEach(() => {
  vi.restoreAllMocks();
});

/** Reads the rules and the agent of the session, then stores the message. */
const MESSAGE = ['rules_for', 'admit_message'];

async function rig() {
  let passes = 0;
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  // One connection, so statements run in order.
  const store = await postgresStore({ url, poolSize: 1 });
  onTestFinished(() => store.close());
  const { services, reconciler } = compose({
    store,
    dataDir: temporaryDirectory(),
    installation: 'test',
    masker: createMasker(),
    box: aesBox(Buffer.alloc(32, 1)),
    log: SILENT,
    executes: false,
    environment: {},
    host: 'test',
    worker: {},
    // Runs a pass when it starts, and whenever it is woken.
    reconcileMs: 3_600_000,
    onPass: () => void passes++,
  });
  // A clock that stands still, so caches never expire.
  const authenticator = authenticatorOver(store, { now: () => 0 });
  const { ask } = appRig({ auth: requestAuthenticator(authenticator), services: () => services });
  const call = async (token: string, path: string, body: object, key?: string) => {
    const answer = await ask({
      method: 'POST',
      url: `/api/v1/sessions${path}`,
      payload: body,
      headers: {
        authorization: `Bearer ${token}`,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
    });
    return { status: answer.statusCode, body: answer.json() };
  };
  const queries = vi.spyOn(pg.Client.prototype, 'query');
  /** The statements since the last call, by name, or by text if they have none. */
  const statements = (): string[] => {
    const asked = queries.mock.calls.map(([query]: readonly unknown[]) => {
      const { name, text } =
        typeof query === 'string' ? { name: undefined, text: query } : named(query);
      return name ?? text;
    });
    queries.mockClear();
    // Hints are sent after the answer, at most one in 10 ms; the sender does not wait for them.
    return asked.filter((text) => !text.includes('pg_notify'));
  };
  const session = async (token: string, name: string, kind = 'claude'): Promise<string> => {
    const { body } = await call(token, '', { name, agent: { kind } });
    await store.changeSession(body.id, { do: 'ready', path: '/w' });
    return body.id;
  };
  /** Sends as the web app and the command line do, or without a key. */
  const send = async (token: string, id: string, message: string, key?: string, more = {}) => {
    const body = { message, onBusy: 'enqueue', ...more };
    statements();
    const answer = await call(token, `/${id}/messages`, body, key);
    expect(answer).toMatchObject({ status: 202 });
    return { receipt: MessageReceipt.parse(answer.body), statements: statements() };
  };
  return {
    store,
    authenticator,
    reconciler,
    passes: () => passes,
    session,
    send,
    statements,
    people: peopleOf(store),
  };
}

const named = (query: unknown): { name?: string; text: string } =>
  query as { name?: string; text: string };

test('[Q10] a message takes as many statements with a key as without, also when it is repeated', async () => {
  const { store, authenticator, session, send, people } = await rig();
  const [owner, guest] = [await people.user('owner'), await people.user('guest')];
  const [own, shared] = [await people.token(owner.id), await people.token(guest.id)];
  const id = await session(own.token, 'counted');
  await store.putShares(id, [{ userId: guest.id, level: 'operate' }]);
  const senders = { owner: own.token, guest: shared.token, admin: ADMIN_TOKEN };
  const counted: Record<string, string[]> = {};
  let position = 0;
  // Tokens are looked up, and their last use is stored, once a minute each.
  for (const token of Object.values(senders)) {
    await send(token, id, 'first');
    position += 1;
  }
  await authenticator.close();
  for (const [who, token] of Object.entries(senders)) {
    for (const [how, message] of [
      ['plain', 'hello'],
      ['masked', `export ${SECRETS[0]?.secret}`],
    ] as const) {
      const without = await send(token, id, message);
      const keyed = await send(token, id, message, `${who}-${how}`);
      const again = await send(token, id, message, `${who}-${how}`);
      expect(without.receipt.position).toBe(position);
      expect(keyed.receipt.position).toBe(position + 1);
      expect(again.receipt).toEqual(keyed.receipt);
      position += 2;
      counted[`${who}, ${how}`] = without.statements;
      counted[`${who}, ${how}, with a key`] = keyed.statements;
      counted[`${who}, ${how}, sent again`] = again.statements;
    }
  }
  expect(counted).toEqual(
    Object.fromEntries(Object.keys(counted).map((message) => [message, MESSAGE])),
  );
  expect(Object.keys(counted)).toHaveLength(18);
});

test('[Q10] a message behind a delayed one, to a held session or to a shell takes no more statements', async () => {
  const { store, session, send } = await rig();
  const id = await session(ADMIN_TOKEN, 'later', 'shell');
  await store.changeSession(id, { do: 'hold' });
  expect((await send(ADMIN_TOKEN, id, 'pwd', 'k1')).statements).toEqual(MESSAGE);
  await send(ADMIN_TOKEN, id, 'pwd', undefined, { runAt: toTime(Date.now() + 3_600_000) });
  const sent = await send(ADMIN_TOKEN, id, 'pwd', 'k2');
  expect(sent).toMatchObject({ receipt: { position: 1 }, statements: MESSAGE });
});

test('[S5] a message that wakes its session is one transaction of few statements', async () => {
  const { store, session, send } = await rig();
  const id = await session(ADMIN_TOKEN, 'asleep');
  await store.changeSession(id, { do: 'terminate', reason: 'orphan' });
  const { statements } = await send(ADMIN_TOKEN, id, 'hello', 'k');
  expect(statements).toEqual([
    ...MESSAGE,
    expect.stringMatching(/^BEGIN/),
    'lock_lanes',
    'load_sessions',
    'known_key',
    'save_sessions',
    'insert_runs',
    'save',
    'append_audit',
    'COMMIT',
  ]);
  expect(await store.getSession(id)).toMatchObject({ session: { status: 'PENDING' } });
});

test('[S4] a message wakes the reconciler only if it changes the session', async () => {
  const { store, reconciler, passes, session, send, statements } = await rig();
  const id = await session(ADMIN_TOKEN, 'awake');
  reconciler.start();
  onTestFinished(() => reconciler.stop());
  await until(async () => passes() === 1);
  const awake = await send(ADMIN_TOKEN, id, 'hello', 'k1');
  statements();
  // The second would wait for a pass.
  await store.getLane(id);
  await store.getLane(id);
  const lane = expect.stringContaining('FROM lanes');
  expect([...awake.statements, ...statements()]).toEqual([...MESSAGE, lane, lane]);
  expect(passes()).toBe(1);
  await store.changeSession(id, { do: 'fail', error: 'no disk' });
  await send(ADMIN_TOKEN, id, 'hello', 'k2');
  await until(async () => passes() === 2);
});
