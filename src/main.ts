import type { Logger } from 'pino';
import type { Config } from './cli/config.ts';
import { makeDataDirectory } from './cli/data-directory.ts';
import { explainListenError } from './cli/listen-error.ts';
import { packageVersion } from './cli/version.ts';
import { openStore } from './open-store.ts';
import { Purger } from './queue/purger.ts';
import { RunQueue } from './queue/run-queue.ts';
import { Scheduler } from './queue/scheduler.ts';
import { Worker } from './queue/worker.ts';
import { createApp } from './server/app.ts';
import { close, listen } from './server/listen.ts';
import type { Readiness } from './server/routes/system.ts';

/** How long requests under way may take to end once the node stops. */
const HTTP_GRACE_MS = 3000;
/** A database that has not answered after this is not ready. */
const READY_MS = 2000;

export interface Node {
  url: string;
  /** Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * The composition root: builds the parts, starts them, and stops them in the opposite order. HTTP
 * comes first, so that a node that waits for its database is seen to be alive and not ready.
 */
export async function startNode(config: Config, log: Logger, stop: AbortSignal): Promise<Node> {
  await makeDataDirectory(config.dataDir, log);
  const started: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    for (const stopPart of started.reverse()) await stopPart();
  };
  const parts: { queue?: RunQueue; worker?: Worker } = {};

  try {
    const app = createApp({ log, ready: () => readiness(parts) });
    started.push(() => close(app, HTTP_GRACE_MS));
    const url = await listen(app, config.host, config.port).catch((error) => {
      throw explainListenError(error, config);
    });

    const store = await openStore(config.database, log, stop);
    started.push(() => store.close());
    parts.queue = new RunQueue(store, { log });

    const purger = new Purger({ store, log });
    started.push(() => purger.stop());
    purger.start();

    const scheduler = new Scheduler({ store, log });
    started.push(() => scheduler.stop());
    scheduler.start();

    parts.worker = new Worker(parts.queue, {
      caps: { types: { agent: config.maxConcurrentRuns } },
      ...(config.hostId === undefined ? {} : { host: config.hostId }),
      roles: ['api', 'worker'],
      version: packageVersion(),
      leaseMs: config.leaseSeconds * 1000,
    });
    const { worker } = parts;
    started.push(() => worker.stop());
    await worker.start();

    const { dataDir, isolation } = config;
    log.info({ url, dataDir, isolation, node: process.versions.node }, 'Node started');
    return { url, stop: () => (stopping ??= stopAll()) };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function readiness({
  queue,
  worker,
}: {
  queue?: RunQueue;
  worker?: Worker;
}): Promise<Readiness> {
  if (queue === undefined) {
    return { database: 'not open yet', migrations: 'not applied yet', lease: 'not taken yet' };
  }
  const answers = await Promise.race([
    queue.counts().then(
      () => true,
      () => false,
    ),
    new Promise<false>((resolve) => setTimeout(resolve, READY_MS, false).unref()),
  ]);
  return {
    database: answers || 'does not answer',
    // A store opens only with the schema of this version.
    migrations: true,
    lease: (worker?.leaseRemainingMs ?? 0) > 0 || 'not held',
  };
}
