import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { StoreGate } from './access/gate.ts';
import { agentEnvironment } from './agents/environment.ts';
import type { Config } from './cli/config.ts';
import { makeDataDirectory } from './cli/data-directory.ts';
import { explainListenError } from './cli/listen-error.ts';
import { packageVersion } from './cli/version.ts';
import { type Composed, compose } from './compose.ts';
import { BatonError } from './contract/errors.ts';
import { newId } from './contract/ids.ts';
import { stopLeftovers } from './leftovers.ts';
import { openStore } from './open-store.ts';
import { createMasker } from './policy/masking.ts';
import { identify } from './queue/process-identity.ts';
import { Purger } from './queue/purger.ts';
import { Scheduler } from './queue/scheduler.ts';
import { readinessOf } from './readiness.ts';
import { adminTokenOf } from './secrets/admin-token.ts';
import { aesBox } from './secrets/aes-box.ts';
import { secretKeyOf } from './secrets/key.ts';
import { checkKey } from './secrets/key-check.ts';
import { createApp } from './server/app.ts';
import { authenticatorOf } from './server/auth.ts';
import { addressReader } from './server/limits/address.ts';
import { limited } from './server/limits/limited.ts';
import { Limits } from './server/limits/limits.ts';
import { close, listen } from './server/listen.ts';
import { createMetrics } from './server/metrics.ts';
import type { NodeFacts } from './server/metrics-facts.ts';
import { createSite } from './server/site.ts';
import type { OpenStreams } from './server/streams/open-streams.ts';
import { registerStreams } from './server/streams/register.ts';
import { patiently } from './sessions/patiently.ts';

/** How long requests under way may take to end once the node stops. */
const HTTP_GRACE_MS = 3000;

export type Role = 'api' | 'worker';

export interface Node {
  url: string;
  /** Signs the administrator in, once; null on a node that serves no API. */
  signInUrl: string | null;
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
    // One that cannot be stopped must not keep the others running.
    for (const stopPart of started.reverse()) {
      await stopPart().catch((err: unknown) => log.error({ err }, 'A part did not stop'));
    }
  };
  let composed: Composed | null = null;
  let streams: OpenStreams | null = null;
  let facts: NodeFacts | null = null;

  try {
    const token = await adminTokenOf(config.adminToken, config.dataDir);
    const box = aesBox(await secretKeyOf(config.secretKey, config.dataDir));
    const limits = new Limits(
      config.rateLimit === undefined ? {} : { perUser: config.rateLimit, includeAdmin: true },
    );
    const gate = new StoreGate({ adminToken: token });
    const site = createSite(config);
    const addressOf = addressReader(config.trustedProxies);
    const auth = limited(authenticatorOf(gate, { site, addressOf }), limits);
    const metrics = createMetrics({ version: packageVersion(), facts: () => facts });
    const app = createApp({
      log,
      auth,
      metrics,
      ready: () => readinessOf(composed),
      service: () => {
        if (!roles.includes('api')) throw new BatonError('not_found', 'This node serves no API.');
        return composed?.service ?? null;
      },
      routes: [
        (api) => {
          streams = registerStreams(api, { authenticator: auth, metrics });
        },
      ],
    });
    started.push(() => close(app, HTTP_GRACE_MS));
    const url = await listen(app, config.host, config.port).catch((error) => {
      throw explainListenError(error, config);
    });

    const store = await openStore(config.database, log, stop);
    started.push(() => store.close());
    gate.open(store);
    started.push(() => gate.close());
    // The database may go away again at any step, and is waited for at each.
    await patiently(stop, () => checkKey(box, store));
    const installation = await patiently(stop, () => store.putSettingOnce('installation', newId()));
    const identity = identify(config.hostId);
    composed = compose({
      store,
      dataDir: config.dataDir,
      installation,
      masker: createMasker({ onMasked: metrics.secretMasked }),
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
        onAttempt: metrics.attemptEnded,
      },
      onReady: metrics.sessionReady,
      onCreationFailed: metrics.creationFailed,
    });
    const { queue, worker, keeper, connections, endLifelines } = composed;
    facts = {
      counts: () => queue.counts(),
      countSessions: () => store.countSessions(),
      connections: () => connections.count,
      worker,
    };
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

    if (roles.includes('worker')) {
      const stopped = patiently(stop, () => stopLeftovers(store, installation, identity, log));
      metrics.leftoversStopped(await stopped);
    }
    started.push(async () => endLifelines());
    started.push(() => worker.stop());
    // It waits for the database to join, and a stop must not wait with it.
    const stopWorker = (): void => void worker.stop();
    stop.addEventListener('abort', stopWorker);
    stop.throwIfAborted();
    await worker.start();
    stop.removeEventListener('abort', stopWorker);
    started.push(() => keeper.stop());
    keeper.start();

    if (roles.includes('api')) {
      // Where the command line finds it.
      const address = join(config.dataDir, 'address');
      await writeFile(address, `${url}\n${process.pid}\n`, { mode: 0o600 });
      started.push(() => rm(address, { force: true }));
    }

    const signInUrl = roles.includes('api')
      ? `${config.publicUrl ?? url}/sign-in?code=${await patiently(stop, () => gate.startCode())}`
      : null;
    const { dataDir, isolation } = config;
    log.info({ url, roles, dataDir, isolation, node: process.versions.node }, 'Node started');
    return { url, signInUrl, stop: () => (stopping ??= stopAll()) };
  } catch (error) {
    await stopAll();
    throw error;
  }
}
