import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { ACCESS } from '../../access/access-store.ts';
import {
  AccessStoreRig,
  type AccessStores,
  entry,
  HOUR,
  type OpenAccess,
} from '../../access/conformance/rig.ts';
import { newId } from '../../contract/values/ids.ts';
import { admission, refused } from '../../queue/conformance/rig.ts';
import type { Hint } from '../../queue/hint.ts';
import type { SendRequest } from '../../sessions/session-store.ts';
import { postgresStore } from './store.ts';

/* Two nodes on one database that do the same thing at the same time. */

let database: TestDatabase;
let rig: AccessStoreRig;
let other: AccessStores;
const open: OpenAccess = (name, clock) =>
  postgresStore({ url: database.url, schema: `s${name.replaceAll('-', '')}`, clock });

beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  rig = await AccessStoreRig.open(open);
  other = await open(rig.databaseName, () => rig.now);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await other.close();
  await rig.close();
});

const both = (): AccessStores[] => [rig.store, other];
const newSignIn = () => ({
  id: newId(),
  digest: newId(),
  pageKeyDigest: newId(),
  idleMs: HOUR,
  lifeMs: HOUR,
});

test('[X1] of two nodes that receive the same code, one signs in and one line is written', async () => {
  for (let i = 0; i < 15; i++) {
    const code = await rig.code('admin');
    const line = entry({
      userId: '',
      action: 'auth.sign_in',
      target: { kind: 'sign_in', id: code },
    });
    const made = await Promise.all(
      both().map((store) => store.audited(line).signIn({ code }, newSignIn())),
    );
    expect(made.filter((one) => one !== null)).toHaveLength(1);
    expect(await other.listAudit({ target: code, limit: 10 })).toHaveLength(1);
  }
});

test('[X1] of two nodes that rotate the same secret, one does', async () => {
  for (let i = 0; i < 15; i++) {
    const { digest: from, signIn } = await rig.signedIn('admin');
    const secrets = both().map(() => newId());
    const rotated = await Promise.all(
      both().map((store, n) =>
        store.rotateSignIn(signIn.id, { from, to: secrets[n] as string, graceMs: 1000 }),
      ),
    );
    expect(rotated.filter(Boolean)).toHaveLength(1);
    const signIns = await Promise.all(secrets.map((digest) => other.findSignIn(digest, HOUR)));
    expect(signIns.map((one) => one !== null)).toEqual(rotated);
    expect(await other.findSignIn(from, HOUR)).toMatchObject({ previous: true });
  }
});

test('[X4] of two nodes that receive the same ticket, one takes it, wherever it was created', async () => {
  const { signIn } = await rig.signedIn('admin');
  for (let i = 0; i < 15; i++) {
    const ticket = { digest: newId(), signInId: signIn.id, path: '/ws/events', expiresInMs: HOUR };
    await both()[i % 2]?.createTicket(ticket);
    const taken = await Promise.all(both().map((store) => store.takeTicket(ticket.digest)));
    expect(taken.filter((one) => one !== null)).toHaveLength(1);
  }
});

test('[X1] a sign-in that cannot be extended now is still valid', async () => {
  const { digest, signIn } = await rig.signedIn('admin');
  const client = new pg.Client({
    connectionString: database.url,
    options: `-c search_path=s${rig.databaseName.replaceAll('-', '')}`,
  });
  await client.connect();
  await client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER full_disk BEFORE UPDATE ON sign_ins EXECUTE FUNCTION refuse()`);
  await client.end();
  rig.now += HOUR / 2;
  expect(await rig.store.findSignIn(digest, HOUR)).toEqual(signIn);
});

test('[X2] a user who signs in while being disabled is not signed in when enabled again', async () => {
  const ann = await rig.user();
  const client = new pg.Client({
    connectionString: database.url,
    options: `-c search_path=s${rig.databaseName.replaceAll('-', '')}`,
  });
  await client.connect();
  // The user was read before and is written after.
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO sign_ins (id, user_id, digest, created_at, rotated_at, idle_until, expires_at)
     VALUES ('late', $1, 'digest', 0, 0, $2, $2)`,
    [ann.id, rig.now + HOUR],
  );
  await other.updateUser(ann.id, { disabled: true });
  await client.query('COMMIT');
  await client.end();
  expect(await rig.store.findSignIn('digest', HOUR)).toBeNull();
  await other.updateUser(ann.id, { disabled: false });
  expect(await rig.store.findSignIn('digest', HOUR)).toBeNull();
  // Enabling a user who is not disabled does not end their sign-ins.
  const { digest } = await rig.signedIn(ann.id);
  await other.updateUser(ann.id, { disabled: false });
  expect(await rig.store.findSignIn(digest, HOUR)).not.toBeNull();
});

test('[X2] of two users with the same name, one is created, and the other leaves no line', async () => {
  for (let i = 0; i < 5; i++) {
    const name = `name-${i}`;
    const made = await Promise.allSettled(
      both().map((store) =>
        store.audited(entry()).createUser({ id: newId(), name, role: 'viewer' }),
      ),
    );
    const failures = made.filter((one) => one.status === 'rejected');
    expect(failures.map(({ reason }) => reason)).toEqual([refused('user_exists')]);
    expect(await other.listAudit({ limit: 100 })).toHaveLength(i + 1);
  }
});

test('[X3] sharing a session while it is deleted leaves nothing behind', async () => {
  const ann = await rig.user();
  for (let i = 0; i < 10; i++) {
    const id = await rig.session('admin');
    await Promise.allSettled([
      rig.store.putShares(id, [{ userId: ann.id, level: 'view' }]),
      other.deleteSession(id),
    ]);
    expect(await other.getSession(id)).toBeNull();
    expect((await other.getSessionFor(id, ann.id))?.share ?? null).toBeNull();
  }
});

test('[P6] a message sent in one statement and one sent in a transaction leave the same line', async () => {
  const sessionId = await rig.session('admin');
  const line = entry({
    action: 'message.send',
    target: { kind: 'session', id: sessionId },
    before: { a: 1 },
    after: ['b\0', '日本'],
  });
  const file = { name: 'a', mediaType: 'text/plain', sealed: 'sealed' };
  const send = (idempotencyKey: string | null, more: Partial<SendRequest> = {}) =>
    rig.store.audited(line).sendMessage({
      sessionId,
      admission: admission({ idempotencyKey, bodyHash: idempotencyKey }),
      original: null,
      queueMax: 3,
      ...more,
    });
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  const statements = (): string[] => {
    const texts = asked.mock.calls.map(([asking]) =>
      typeof asking === 'string' ? asking : (asking as { text: string }).text,
    );
    asked.mockClear();
    return texts.filter((text) => !/pg_notify/.test(text));
  };
  const first = await send(null);
  expect(statements()).toEqual([expect.stringContaining('INSERT INTO audit')]);
  const second = await send('k');
  expect(statements()).toEqual([expect.stringContaining('INSERT INTO audit')]);
  const third = await send('l', { attachments: [file] });
  expect(statements()[0]).toMatch(/^BEGIN/);
  const sent = [first, second, third].map(({ receipt }) => receipt.position);
  expect(sent).toEqual([0, 1, 2]);

  const lines = await other.listAudit({ limit: 10 });
  expect(lines).toEqual([0, 1, 2].map(() => ({ ...line, seq: expect.any(Number), at: rig.now })));

  // Neither leaves a line for a message that is refused or already known.
  for (const more of [{}, { attachments: [file] }]) {
    await expect(send(null, more)).rejects.toEqual(refused('queue_full'));
    await expect(send('other', more)).rejects.toEqual(refused('queue_full'));
    expect((await send('k', more)).receipt).toMatchObject({ known: true });
  }
  await rig.store.changeSession(sessionId, { do: 'terminate', reason: 'asked' });
  await expect(send(null, { queueMax: 100 })).rejects.toEqual(refused('session_ended'));
  expect(await other.listAudit({ limit: 10 })).toHaveLength(3);
});

test('[Q10] [P6] two nodes that receive the same key at once make one run and write one line', async () => {
  for (let i = 0; i < 15; i++) {
    const sessionId = await rig.session('admin');
    const line = entry({ action: 'message.send', target: { kind: 'session', id: sessionId } });
    const send = (store: AccessStores, bodyHash: string) =>
      store.audited(line).sendMessage({
        sessionId,
        admission: admission({ idempotencyKey: 'k', bodyHash }),
        original: null,
        queueMax: 1,
      });
    const sent = await Promise.all([...both(), ...both()].map((store) => send(store, 'h')));
    expect(new Set(sent.map(({ receipt }) => receipt.id)).size).toBe(1);
    expect(sent.filter(({ receipt }) => !receipt.known)).toHaveLength(1);
    await expect(send(other, 'another')).rejects.toEqual(refused('idempotency_conflict'));
    expect(await other.listQueued(sessionId, 10)).toHaveLength(1);
    expect(await other.listAudit({ target: sessionId, limit: 10 })).toHaveLength(1);
  }
});

test('[P6] a message whose line cannot be written is not stored', async () => {
  const sessionId = await rig.session('admin');
  const line = entry({ action: null as unknown as 'message.send' });
  const sending = rig.store
    .audited(line)
    .sendMessage({ sessionId, admission: admission(), original: null, queueMax: 2 });
  await expect(sending).rejects.toEqual(refused('database_failed'));
  expect(await other.listQueued(sessionId, 10)).toEqual([]);
});

test('[X2] the other node gets a hint that permissions have changed', async () => {
  const ann = await rig.user();
  const heard: Hint[] = [];
  other.onHint((hint) => heard.push(hint));
  await rig.store.updateUser(ann.id, { disabled: true });
  await until(async () => heard.some(({ topics }) => topics.includes(ACCESS)));
  heard.length = 0;
  await rig.store.enqueue([admission({ lane: 'l' })]);
  await until(async () => heard.some(({ lanes }) => lanes.includes('l')));
  expect(heard.some(({ topics }) => topics.includes(ACCESS))).toBe(false);
});
