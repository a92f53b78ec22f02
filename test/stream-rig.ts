import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { newId } from '../src/contract/ids.ts';
import type { Json } from '../src/contract/json.ts';
import { memoryStore } from '../src/queue/memory/store.ts';
import { RunQueue } from '../src/queue/run-queue.ts';
import type { Store } from '../src/queue/store.ts';
import { Worker } from '../src/queue/worker.ts';
import { createApp } from '../src/server/app.ts';
import { adminToken } from '../src/server/auth.ts';
import { close, listen } from '../src/server/listen.ts';
import type { OpenStreams, StreamLimits } from '../src/server/streams/open-streams.ts';
import { registerStreams } from '../src/server/streams/register.ts';
import type { StreamKind } from '../src/server/streams/sink.ts';
import { logsOf } from './logs-of.ts';

export const TOKEN = 'a-token-for-tests';

export interface StreamRigOptions {
  readonly store?: Store;
  readonly limits?: Partial<StreamLimits>;
  readonly follow?: { stallMs?: number; unreadBytes?: number; pollMs?: number };
}

/** A real server with streams over a real queue, and a way to write to the logs it shows. */
export async function streamRig({ store = memoryStore(), limits, follow }: StreamRigOptions = {}) {
  const queue = new RunQueue(store, follow === undefined ? {} : { follow });
  queue.register('agent', {
    run: async (payload, { emit, room }) => {
      for (let i = 0; i < Number(payload); i++) {
        await room();
        void emit('agent.delta', { text: `${i}` });
      }
    },
  });
  const worker = new Worker(queue, { pollMs: 20 });
  await worker.start();

  const connected = new Set<object>();
  const counted = { opened: 0, closed: 0, dropped: [] as StreamKind[] };
  let streams: OpenStreams | undefined;
  const service = logsOf(queue, connected);
  const app = createApp({
    log: pino({ level: 'silent' }),
    ready: async () => ({}),
    service: () => service,
    auth: adminToken(TOKEN),
    routes: [
      (api) => {
        streams = registerStreams(api, {
          authenticator: adminToken(TOKEN),
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
  const url = await listen(app, '127.0.0.1', 0);
  onTestFinished(async () => {
    await close(app, 1000);
    await worker.stop({ immediate: true });
    await queue.close();
  });

  const note = (lane: string, payload: Json = null): Promise<unknown> =>
    store.change({ do: 'note', lane, event: { type: 'agent.notice', payload } });
  return {
    url,
    app,
    queue,
    store,
    service,
    connected,
    counted,
    streams: streams as OpenStreams,
    note,
    /** A lane with so many events, as a session's would be. */
    async session(events = 0): Promise<string> {
      const lane = newId();
      await queue.configure(lane, {});
      for (let i = 0; i < events; i++) await note(lane, i);
      return lane;
    },
    /** A run that says so much. */
    run: async (lane: string, events: number): Promise<string> =>
      (await queue.enqueue({ type: 'agent', lane, payload: events })).id,
    get: (path: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}
