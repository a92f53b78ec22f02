import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/postgres.ts';
import { authorised, type Person } from '../../../test/support/principals.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { testStore } from '../../../test/support/sqlite.ts';
import { until } from '../../../test/support/until.ts';
import { BatonError } from '../../contract/errors.ts';
import { CreateSession } from '../../contract/session.ts';
import type { SessionHint } from '../../contract/session-event.ts';
import { newId } from '../../contract/values/ids.ts';
import { type Composed, compose } from '../../node/compose.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { SILENT } from '../../queue/logger.ts';
import { aesBox } from '../../secrets/aes-box.ts';
import type { BatonStore } from '../../storage/operations/baton-store.ts';
import { postgresStore } from '../../storage/postgres/store.ts';
import { SessionCache } from './session-cache.ts';

type Services = Composed['services'];

const HOURS = 3_600_000;

/** An API node: it executes no runs, and learns of changes only from hints. */
function node(store: BatonStore): Services {
  const { services, queue } = compose({
    store,
    dataDir: temporaryDirectory(),
    installation: 'test',
    masker: createMasker(),
    box: aesBox(Buffer.alloc(32, 7)),
    log: SILENT,
    executes: false,
    environment: {},
    host: 'test',
    worker: {},
    reconcileMs: HOURS,
  });
  onTestFinished(() => queue.close());
  return services;
}

async function person(store: BatonStore, name: string): Promise<Person> {
  const { id } = await store.createUser({ id: newId(), name, role: 'operator' });
  return authorised({ userId: id, role: 'operator', channel: 'web' });
}

const create = (services: Services, by: Person, name: string) =>
  services.sessions.create(by, CreateSession.parse({ name, agent: { kind: 'shell' } }));

/** Everything that a reader of the hint stream receives. */
function listen(services: Services, by: Person): SessionHint[] {
  const heard: SessionHint[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  void (async () => {
    for await (const hint of services.logs.hints(by, stop.signal)) heard.push(hint);
  })();
  return heard;
}

const hasHintFor = (heard: readonly SessionHint[], id: string): boolean =>
  heard.some((hint) => 'sessionId' in hint && hint.sessionId === id);

test('[E9] on all nodes, a user gets hints only for visible sessions, while they are shared', async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const [here, there] = [await postgresStore({ url }), await postgresStore({ url })];
  const [near, far] = [node(here), node(there)];
  const [hanako, taro] = [await person(here, 'hanako'), await person(here, 'taro')];
  const hers = await create(far, hanako, 'hers');
  const his = await create(far, taro, 'his');
  const heard = listen(near, hanako);
  const all = listen(near, ADMIN);
  const touch = async (by: Person, id: string): Promise<void> => {
    all.length = 0;
    await far.sessions.act(by, id, 'hold');
    await until(() => hasHintFor(all, id));
    await far.sessions.act(by, id, 'resume');
  };
  const share = async (...users: string[]): Promise<void> => {
    heard.length = 0;
    await far.shares.put(taro, his.id, { shares: users.map((user) => ({ user, level: 'view' })) });
    await until(() => heard.some((hint) => 'all' in hint));
    heard.length = 0;
  };

  await touch(taro, his.id);
  await touch(hanako, hers.id);
  await until(() => hasHintFor(heard, hers.id));
  expect(hasHintFor(heard, his.id)).toBe(false);

  await share('hanako');
  await touch(taro, his.id);
  await until(() => hasHintFor(heard, his.id));

  await share();
  await touch(taro, his.id);
  await touch(hanako, hers.id);
  await until(() => hasHintFor(heard, hers.id));
  expect(hasHintFor(heard, his.id)).toBe(false);
});

test('[E9] however many listen, a session that grew is read once, and the hints are correct', async () => {
  const store = await testStore({ path: join(temporaryDirectory(), 'baton.db') });
  let reads = 0;
  const counting: BatonStore = {
    ...store,
    getSession: (id) => {
      reads++;
      return store.getSession(id);
    },
    listShares: (id) => {
      reads++;
      return store.listShares(id);
    },
  };
  const services = node(counting);
  const owner = await person(store, 'owner');
  const people = await Promise.all(
    Array.from({ length: 50 }, (_, i) => person(store, `reader-${i}`)),
  );
  const { id } = await create(services, owner, 'watched');
  const shares = people.map(({ userId: user }) => ({ user, level: 'view' as const }));
  await services.shares.put(owner, id, { shares });
  const heard = people.map((by) => listen(services, by));
  const hint = { sessionId: id, lastSeq: 2, status: 'COMPLETED' };
  reads = 0;
  await store.changeSession(id, { do: 'complete' });
  await until(() => heard.every((each) => each.length > 0));
  expect(heard.flat()).toMatchObject(people.map(() => hint));
  expect(reads).toBe(2);
});

test('[E9] [O5] shares that could not be read are read again', async () => {
  const store = await testStore({ path: join(temporaryDirectory(), 'baton.db') });
  const [owner, reader] = [await person(store, 'owner'), await person(store, 'reader')];
  const services = node(store);
  const { id } = await create(services, owner, 'watched');
  await services.shares.put(owner, id, { shares: [{ user: 'reader', level: 'view' }] });
  let away = true;
  const cache = new SessionCache({
    ...store,
    listShares: async (session) => {
      if (away) throw new BatonError('database_unreachable');
      return store.listShares(session);
    },
  });
  await expect(cache.find(reader, id, 1)).rejects.toThrow();
  away = false;
  expect((await cache.find(reader, id, 1))?.session.id).toBe(id);
});
