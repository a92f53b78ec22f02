import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { agentEnvironment } from './agents/environment.ts';
import { sweepLeftovers } from './agents/sweep.ts';
import type { Config } from './cli/config.ts';
import { makeDataDirectory } from './cli/data-directory.ts';
import { explainListenError } from './cli/listen-error.ts';
import { packageVersion } from './cli/version.ts';
import { type Composed, compose } from './compose.ts';
import { newId } from './contract/ids.ts';
import type { NodeRecord } from './contract/node.ts';
import { openStore } from './open-store.ts';
import { createMasker } from './policy/masking.ts';
import { identify, isProvablyDead, type ProcessIdentity } from './queue/process-identity.ts';
import { Purger } from './queue/purger.ts';
import { Scheduler } from './queue/scheduler.ts';
import type { NodeStore } from './queue/store.ts';
import { adminTokenOf } from './secrets/admin-token.ts';
import { aesBox } from './secrets/aes-box.ts';
import { secretKeyOf } from './secrets/key.ts';
import { checkKey } from './secrets/key-check.ts';
import { createApp } from './server/app.ts';
import { adminToken } from './server/auth.ts';
import { close, listen } from './server/listen.ts';
import type { Readiness } from './server/routes/system.ts';
import type { OpenStreams } from './server/streams/open-streams.ts';
import { registerStreams } from './server/streams/register.ts';

/** How long requests under way may take to end once the node stops. */
const HTTP_GRACE_MS = 3000;
/** A database that has not answered after this is not ready. */
const READY_MS = 2000;

export type Role = 'api' | 'worker';

export interface Node {
  url: string;
  /** Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * The composition root: builds the parts, starts them, and stops them in the opposite order. HTTP
 * comes first, so that a node that waits for its database is seen to be alive and not ready.
 */
export async function startNode(
  config: Config,
  log: Logger,
  stop: AbortSignal,
  { roles = ['api', 'worker'] }: { readonly roles?: readonly Role[] } = {},
): Promise<Node> {
  await makeDataDirectory(config.dataDir, log);
  const started: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    for (const stopPart of started.reverse()) await stopPart();
  };
  let composed: Composed | null = null;
  let streams: OpenStreams | null = null;

  try {
    const token = await adminTokenOf(config.adminToken, config.dataDir);
    const box = aesBox(await secretKeyOf(config.secretKey, config.dataDir));
    const auth = adminToken(token);
    const app = createApp({
      log,
      auth,
      ready: () => readiness(composed),
      // A node that only works shows its health, and leaves the rest to those that are asked.
      service: () => (roles.includes('api') ? (composed?.service ?? null) : null),
      routes: [
        (api) => {
          streams = registerStreams(api, { authenticator: auth });
        },
      ],
      ...(config.rateLimit === undefined
        ? {}
        : { rateLimit: { perMinute: config.rateLimit, includeAdmin: true } }),
    });
    started.push(() => close(app, HTTP_GRACE_MS));
    const url = await listen(app, config.host, config.port).catch((error) => {
      throw explainListenError(error, config);
    });

    const store = await openStore(config.database, log, stop);
    started.push(() => store.close());
    await checkKey(box, store);
    const installation = await store.putSettingOnce('installation', newId());
    const identity = identify(config.hostId);
    composed = compose({
      store,
      dataDir: config.dataDir,
      installation,
      masker: createMasker(),
      box,
      log,
      executes: roles.includes('worker'),
      environment: agentEnvironment(process.env, config.agentEnv),
      host: identity.host,
      worker: {
        caps: { types: { agent: config.maxConcurrentRuns } },
        host: identity.host,
        roles: [...roles],
        version: packageVersion(),
        leaseMs: config.leaseSeconds * 1000,
      },
    });
    const { queue, worker, keeper, connections, endLifelines } = composed;
    started.push(() => queue.close());
    started.push(() => connections.stop());
    // Readers stay until the runs have had their grace, and are then told to come back.
    started.push(async () => streams?.close());

    const purger = new Purger({ store, log });
    started.push(() => purger.stop());
    purger.start();

    const scheduler = new Scheduler({ store, log });
    started.push(() => scheduler.stop());
    scheduler.start();

    if (roles.includes('worker')) await sweep(store, installation, identity, log);
    started.push(async () => endLifelines());
    started.push(() => worker.stop());
    await worker.start();
    started.push(() => keeper.stop());
    keeper.start();

    const address = join(config.dataDir, 'address');
    await writeFile(address, `${url}\n`, { mode: 0o600 });
    started.push(() => rm(address, { force: true }));

    log.info({ url, roles, dataDir: config.dataDir }, 'Node started');
    return { url, stop: () => (stopping ??= stopAll()) };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** What agents of dead nodes left running on this machine is stopped before anything new starts. */
async function sweep(
  store: Pick<NodeStore, 'listNodes'>,
  installation: string,
  self: ProcessIdentity,
  log: Logger,
): Promise<void> {
  const nodes = await store.listNodes();
  const isLive = (node: NodeRecord): boolean =>
    node.leaseUntil > Date.now() && !isProvablyDead(node, self);
  const liveNodes = new Set(nodes.filter(isLive).map(({ id }) => id));
  const { stopped, left } = await sweepLeftovers({ installation, self: '', liveNodes });
  if (stopped.length > 0) log.warn({ processes: stopped }, 'Leftovers of agents were stopped');
  if (left.length > 0) log.error({ processes: left }, 'Leftovers of agents cannot be stopped');
}

async function readiness(composed: Composed | null): Promise<Readiness> {
  if (composed === null) {
    return { database: 'not open yet', migrations: 'not applied yet', lease: 'not taken yet' };
  }
  const answers = await Promise.race([
    composed.queue.counts().then(
      () => true,
      () => false,
    ),
    new Promise<false>((resolve) => setTimeout(resolve, READY_MS, false).unref()),
  ]);
  return {
    database: answers || 'does not answer',
    // A store opens only with the schema of this version.
    migrations: true,
    lease: composed.worker.leaseRemainingMs > 0 || 'not held',
  };
}
