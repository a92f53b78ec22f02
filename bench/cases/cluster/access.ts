import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { digestOf, newToken } from '../../../src/access/secret.ts';
import { StoreAuthenticator } from '../../../src/access/store-authenticator.ts';
import { CreateSession } from '../../../src/contract/session.ts';
import { newId } from '../../../src/contract/values/ids.ts';
import { compose } from '../../../src/node/compose.ts';
import { createMasker } from '../../../src/policy/masking/masking.ts';
import { SILENT } from '../../../src/queue/logger.ts';
import { aesBox } from '../../../src/secrets/aes-box.ts';
import { createApp } from '../../../src/server/app.ts';
import {
  type RequestAuthenticator,
  requestAuthenticator,
} from '../../../src/server/request-authenticator.ts';
import { postgresStore } from '../../../src/storage/postgres/store.ts';
import { authorised } from '../../../test/support/principals.ts';
import type { Case } from '../../benches.ts';
import { median, now, percentile } from '../../measure.ts';
import type { Resources } from '../../resources.ts';
import { mustBe } from '../../workload.ts';

const SAMPLES = 1000;
const WARM_UP = 200;

/**
 * What authentication by a user's token and the check of the session's owner add to `GET` of a
 * session, against the same request by an administrator who is not checked. Everything runs in this
 * process; the requests take turns.
 */
export const access: Case = async ({ resources, rounds, report }) => {
  const { ask, close } = await open(resources);
  const added = { owner: [] as number[], shared: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const times = { unasked: [] as number[], owner: [] as number[], shared: [] as number[] };
    for (let i = round === 0 ? -WARM_UP : 0; i < SAMPLES; i++) {
      for (const who of ['unasked', 'owner', 'shared'] as const) {
        const begun = now();
        const status = await ask[who]();
        const ms = now() - begun;
        mustBe('the status', status, 200);
        if (i >= 0) times[who].push(ms);
      }
    }
    const bare = percentile(times.unasked, 0.5);
    added.owner.push(percentile(times.owner, 0.5) - bare);
    added.shared.push(percentile(times.shared, 0.5) - bare);
  }
  await close();
  report({ metric: 'added for its owner, p50', value: median(added.owner), unit: 'ms' });
  report({
    metric: 'added for a guest, p50',
    value: median(added.shared),
    unit: 'ms',
  });
};

async function open(resources: Resources) {
  const database = await resources.database();
  const store = await postgresStore({ url: database.url });
  const { services, queue } = compose({
    store,
    dataDir: resources.directory(),
    installation: 'bench',
    masker: createMasker(),
    box: aesBox(Buffer.alloc(32, 1)),
    log: SILENT,
    executes: false,
    environment: {},
    host: 'bench',
    worker: {},
  });
  const authenticator = new StoreAuthenticator({ adminToken: newToken() });
  authenticator.open(store);
  const auth = requestAuthenticator(authenticator);
  const owner = await somebody('owner');
  const guest = await somebody('guest');
  const by = authorised({ userId: owner.id, role: 'operator', channel: 'api' });
  const body = CreateSession.parse({ name: 'access', agent: { kind: 'shell' } });
  const { id } = await services.sessions.create(by, body);
  await store.putShares(id, [{ userId: guest.id, level: 'view' }]);

  const asAdmin = authorised({ userId: 'admin', role: 'admin', channel: 'api' });
  const checked = app(auth);
  const unasked = app({
    ...auth,
    authenticate: async () => ({ by: asAdmin, due: null, shown: 'credential' }),
  });
  const get = async (from: FastifyInstance, token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await from.inject({ url: `/api/v1/sessions/${id}`, headers })).statusCode;
  };
  return {
    ask: {
      unasked: () => get(unasked, owner.token),
      owner: () => get(checked, owner.token),
      shared: () => get(checked, guest.token),
    },
    close: async () => {
      await checked.close();
      await unasked.close();
      await authenticator.close();
      await queue.close();
      await database.drop();
    },
  };

  function app(auth: RequestAuthenticator): FastifyInstance {
    return createApp({
      log: pino({ level: 'silent' }),
      ready: async () => ({}),
      services: () => services,
      auth,
    });
  }

  async function somebody(name: string): Promise<{ id: string; token: string }> {
    const { id: userId } = await store.createUser({ id: newId(), name, role: 'operator' });
    const token = newToken();
    await store.createToken({
      id: newId(),
      userId,
      name: 'bench',
      digest: digestOf(token),
      scopes: ['read', 'run'],
      channel: 'api',
      expiresInMs: null,
      notAfter: null,
    });
    return { id: userId, token };
  }
}
