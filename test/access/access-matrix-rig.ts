import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { digestOf, newToken } from '../../src/access/secret.ts';
import { StoreAuthenticator } from '../../src/access/store-authenticator.ts';
import type { Right, Role } from '../../src/contract/access.ts';
import { eventOf } from '../../src/contract/events/event-of.ts';
import type { Channel } from '../../src/contract/message.ts';
import { CreateSession } from '../../src/contract/session.ts';
import { newId } from '../../src/contract/values/ids.ts';
import { compose } from '../../src/node/compose.ts';
import { createMasker } from '../../src/policy/masking/masking.ts';
import { SILENT } from '../../src/queue/logger.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import { createApp } from '../../src/server/app.ts';
import { close, listen } from '../../src/server/listen.ts';
import { requestAuthenticator } from '../../src/server/request-authenticator.ts';
import { registerStreams } from '../../src/server/streams/register.ts';
import { postgresStore } from '../../src/storage/postgres/store.ts';
import { directoryArtefacts } from '../../src/workspaces/artefacts.ts';
import { agentEnvironment } from '../../src/workspaces/local/environment/environment.ts';
import { ask } from '../support/asking.ts';
import { createDatabase } from '../support/postgres.ts';
import { authorised, type Person } from '../support/principals.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { testStore } from '../support/sqlite.ts';

export const ADMIN_TOKEN = 'a-token-for-tests';
/** The name of the artefact that a session has. */
export const ARTEFACT = 'run-call.txt';
export type Database = 'sqlite' | 'postgres';

async function openStore(database: Database, dataDir: string) {
  if (database === 'sqlite') return testStore({ path: join(dataDir, 'baton.db') });
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  return postgresStore({ url });
}

/** The whole server over a real database, with users and their tokens; agents do not run. */
export async function accessRig(database: Database = 'sqlite') {
  const dataDir = temporaryDirectory();
  const store = await openStore(database, dataDir);
  const { services, queue, worker, connections } = compose({
    store,
    publicUrl: 'http://localhost',
    dataDir,
    installation: 'test',
    masker: createMasker(),
    box: aesBox(Buffer.alloc(32, 7)),
    log: SILENT,
    executes: false,
    environment: agentEnvironment(process.env),
    host: 'test',
    worker: { host: 'test', leaseMs: 60_000, graceMs: 0 },
  });
  await worker.start();
  const authenticator = new StoreAuthenticator({ adminToken: ADMIN_TOKEN });
  authenticator.open(store);
  const auth = requestAuthenticator(authenticator);
  const app = createApp({
    log: pino({ level: 'silent' }),
    ready: async () => ({}),
    services: () => services,
    auth,
    checkAnswers: true,
    routes: [(api, services) => void registerStreams(api, services, { auth })],
  });
  const url = await listen(app, '127.0.0.1', 0);
  onTestFinished(async () => {
    await close(app, 1000);
    await worker.stop({ immediate: true });
    await connections.stop();
    await authenticator.close();
    await queue.close();
  });

  const user = async (name: string, role: Role): Promise<string> =>
    (await store.createUser({ id: newId(), name, role })).id;

  const token = async (
    userId: string,
    scopes: readonly Right[],
    { name = 'a token', expiresInMs = null as number | null, channel = 'api' as Channel } = {},
  ): Promise<{ id: string; token: string; digest: string }> => {
    const secret = newToken();
    const digest = digestOf(secret);
    const { id } = await store.createToken({
      id: newId(),
      userId,
      name,
      digest,
      scopes,
      channel,
      expiresInMs,
      notAfter: null,
    });
    return { id, token: secret, digest };
  };

  /** A session with the word in every text, in a finished run and in an event. */
  const session = async (ownerId: string, word: string): Promise<{ id: string; run: string }> => {
    const by = operator(ownerId);
    const body = CreateSession.parse({
      name: `${word} ${newId().slice(-12)}`,
      description: `all about ${word}`,
      tags: [word],
      labels: [word],
      agent: { kind: 'shell' },
    });
    const { id } = await services.sessions.create(by, body);
    const run = await send(ownerId, id, word);
    await services.runs.cancel(by, run);
    const event = eventOf('agent.message', { text: `says ${word}` });
    await store.change({ do: 'note', lane: id, event });
    return { id, run };
  };

  /** Gives a session an artefact, since no agent runs here that would make one. */
  const artefact = (id: string, word: string) =>
    directoryArtefacts({ dataDir }).keep(id, 'run', 'call', `all of ${word}`);

  const send = async (ownerId: string, id: string, word: string): Promise<string> => {
    const body = { message: `echo ${word}`, onBusy: 'enqueue' } as const;
    return (await services.messages.send(operator(ownerId), id, body, null)).runId;
  };

  const approval = async (sessionId: string, word: string): Promise<string> => {
    const { asked } = await ask(store, sessionId, {
      input: { command: `cat ${word}` },
      reason: `asks about ${word}`,
    });
    return asked.id;
  };

  return { app, url, store, services, queue, user, token, session, artefact, send, approval };
}

export type AccessRig = Awaited<ReturnType<typeof accessRig>>;

/** A principal that may prepare a session for a test, whatever the user's role in the test. */
export const operator = (userId: string): Person =>
  authorised({ userId, role: 'operator', channel: 'api' });
