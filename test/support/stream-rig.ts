import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { StoreAuthenticator } from '../../src/access/store-authenticator.ts';
import { eventOf } from '../../src/contract/events/event-of.ts';
import type { HandlerEvents } from '../../src/contract/events/table.ts';
import { AgentPayload } from '../../src/contract/message.ts';
import { CreateSession } from '../../src/contract/session.ts';
import { newId } from '../../src/contract/values/ids.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { createMasker } from '../../src/policy/masking/masking.ts';
import { OwnFiles } from '../../src/policy/tools/own-files.ts';
import { SILENT } from '../../src/queue/logger.ts';
import { RunQueue } from '../../src/queue/run-queue.ts';
import type { AttemptContext } from '../../src/queue/worker/attempt-context.ts';
import { Worker } from '../../src/queue/worker/worker.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import { createApp } from '../../src/server/app.ts';
import { close, listen } from '../../src/server/listen.ts';
import { requestAuthenticator } from '../../src/server/request-authenticator.ts';
import { createServices } from '../../src/server/services.ts';
import type { OpenStreams, StreamLimits } from '../../src/server/streams/open-streams.ts';
import { registerStreams } from '../../src/server/streams/register.ts';
import type { StreamKind } from '../../src/server/streams/sink.ts';
import { Connections } from '../../src/sessions/connections.ts';
import { directoryArtefacts } from '../../src/workspaces/artefacts.ts';
import { directoryProvider } from '../../src/workspaces/directory.ts';
import { workspaceProviders } from '../../src/workspaces/providers.ts';
import { testRuntime } from './local-runtime.ts';
import { authorised } from './principals.ts';
import { temporaryDirectory } from './processes.ts';
import { testStore } from './sqlite.ts';

export const TOKEN = 'a-token-for-tests';
export const ADMIN = authorised({ userId: 'admin', role: 'admin', channel: 'api' });

export interface StreamRigOptions {
  readonly limits?: Partial<StreamLimits>;
  readonly follow?: { stallMs?: number; unreadBytes?: number; pollMs?: number };
  readonly port?: number;
  readonly dataDir?: string;
  readonly deaf?: boolean;
}

/**
 * A server with streams over real sessions on SQLite, and a way to write to their logs. The agent says
 * as many words as its message asks for. Only the periodic work on sessions is left out.
 */
export async function streamRig(options: StreamRigOptions = {}) {
  const { limits, follow, dataDir = temporaryDirectory() } = options;
  const store = await testStore({ path: join(dataDir, 'baton.db') });
  const queue = new RunQueue(store, follow === undefined ? {} : { follow });
  queue.register('agent', {
    payload: AgentPayload,
    run: async ({ message }, { emit, room }: AttemptContext<HandlerEvents>) => {
      for (let i = 0; i < Number(message); i++) {
        await room();
        void emit('agent.delta', { text: `${i}` });
      }
    },
  });
  const worker = new Worker(queue, { pollMs: 20 });
  await worker.start();

  const connections = new Connections({ store, log: SILENT, nodeId: () => worker.nodeId });
  const services = createServices({
    store,
    publicUrl: '',
    queue,
    connections,
    masker: createMasker(),
    maskJson: (value) => value,
    maskCall: (input) => input,
    box: aesBox(randomBytes(32)),
    log: SILENT,
    ownFiles: new OwnFiles({ paths: [dataDir], except: [] }),
    home: homedir(),
    providerOf: workspaceProviders(
      directoryProvider({ dataDir, runtimeOf: ({ root }) => testRuntime(root) }),
    ),
    artefacts: directoryArtefacts({ dataDir }),
    checkAgent: () => {},
    onWork: () => {},
    isStopped: () => worker.stats.stopped,
  });
  const counted = { opened: 0, closed: 0, dropped: [] as StreamKind[] };
  const authenticator = new StoreAuthenticator({ adminToken: TOKEN });
  authenticator.open(store);
  // As if no change notification ever arrived.
  if (options.deaf === true) authenticator.onChange = () => () => {};
  const auth = requestAuthenticator(authenticator);
  let streams: OpenStreams | undefined;
  const app = createApp({
    log: pino({ level: 'silent' }),
    ready: async () => ({}),
    services: () => services,
    auth,
    checkAnswers: true,
    routes: [
      (api, services) => {
        streams = registerStreams(api, services, {
          auth,
          ...(limits === undefined ? {} : { limits }),
          metrics: {
            streamOpened: () => counted.opened++,
            streamClosed: () => counted.closed++,
            streamDropped: (kind) => counted.dropped.push(kind),
          },
        });
      },
    ],
  });
  const url = await listen(app, '127.0.0.1', options.port ?? 0);
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    await close(app, 1000);
    await authenticator.close();
    await worker.stop({ immediate: true });
    await connections.stop();
    await queue.close();
  };
  const stop = (): Promise<void> => (stopping ??= stopAll());
  onTestFinished(stop);

  const note = (lane: string, payload: Json = null): Promise<unknown> =>
    store.change({ do: 'note', lane, event: eventOf('run.progress', payload) });
  return {
    url,
    app,
    queue,
    store,
    authenticator,
    services,
    counted,
    note,
    stop,
    streams: streams as OpenStreams,
    connected: () => connections.count,
    /** The number of open HTTP connections. */
    sockets: () =>
      new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count))),
    /** A session with this many events in its log, from `session.created` on. */
    async session(events = 1): Promise<string> {
      const name = `s${newId()}`;
      const { id } = await services.sessions.create(ADMIN, CreateSession.parse({ name }));
      const left = Array.from({ length: events - 1 }, (_, i) => note(id, i));
      await Promise.all(left);
      return id;
    },
    /** A run whose agent says this many words. */
    async run(id: string, words: number): Promise<string> {
      const body = { message: String(words), onBusy: 'enqueue' } as const;
      return (await services.messages.send(ADMIN, id, body, null)).runId;
    },
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } }),
  };
}
