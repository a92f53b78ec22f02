import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Timeouts } from '../../src/agents/timeouts.ts';
import { MessageRequest } from '../../src/contract/message.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import { CreateSession, type Session } from '../../src/contract/session.ts';
import { type Composed, compose } from '../../src/node/compose.ts';
import { createMasker } from '../../src/policy/masking/masking.ts';
import { type Logger, SILENT } from '../../src/queue/logger.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import type { BatonStore } from '../../src/storage/operations/baton-store.ts';
import { agentEnvironment } from '../../src/workspaces/local/environment/environment.ts';
import { authorised } from './principals.ts';
import { temporaryDirectory } from './processes.ts';
import { testStore } from './sqlite.ts';
import { until } from './until.ts';

export const ADMIN = authorised({ userId: 'admin', role: 'admin', channel: 'api' });

export interface ServiceRig extends Composed {
  readonly store: BatonStore;
  readonly dataDir: string;
  session(name: string, more?: object): Promise<Session>;
  send(session: string, message: string, more?: object): Promise<string>;
  finished(run: string): Promise<RunView>;
  stop(): Promise<void>;
}

/** Sessions, queue, worker and agents in this process, over a real database; without HTTP. */
export async function serviceRig(
  options: {
    readonly dataDir?: string;
    readonly executes?: boolean;
    readonly log?: Logger;
    readonly claudePath?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly parkMs?: number;
    readonly timeouts?: Timeouts;
    /** Opens the store; by default, a file in the data directory. */
    readonly openStore?: () => Promise<BatonStore>;
  } = {},
): Promise<ServiceRig> {
  const { dataDir = temporaryDirectory(), executes = true, log = SILENT } = options;
  const { parkMs, timeouts } = options;
  const { openStore = () => testStore({ path: join(dataDir, 'baton.db') }) } = options;
  const store = await openStore();
  const composed = compose({
    store,
    dataDir,
    installation: 'test',
    masker: createMasker(),
    box: aesBox(Buffer.alloc(32, 7)),
    log,
    executes,
    environment: { ...agentEnvironment(process.env), ...options.environment },
    claudePath: options.claudePath,
    host: 'test',
    worker: { host: 'test', leaseMs: 60_000, graceMs: 0 },
    reconcileMs: 50,
    ...(parkMs === undefined ? {} : { parkMs }),
    ...(timeouts === undefined ? {} : { timeouts }),
  });
  const { services, worker, reconciler, connections, queue } = composed;
  await worker.start();
  reconciler.start();
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    await reconciler.stop();
    await connections.stop();
    await worker.stop();
    composed.endLifelines();
    await queue.close();
  };
  const stop = (): Promise<void> => (stopping ??= stopAll());
  onTestFinished(stop);
  return {
    ...composed,
    store,
    dataDir,
    session: (name, more = {}) =>
      services.sessions.create(
        ADMIN,
        CreateSession.parse({ name, agent: { kind: 'shell' }, ...more }),
      ),
    send: async (id, message, more = {}) =>
      (await services.messages.send(ADMIN, id, MessageRequest.parse({ message, ...more }), null))
        .runId,
    finished: async (id) => {
      await until(async () => (await services.runs.get(ADMIN, id)).finishedAt !== null);
      return services.runs.get(ADMIN, id);
    },
    stop,
  };
}
