import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { makeDataDirectory } from '../config/data-directory.ts';
import { packageVersion } from '../config/version.ts';
import { renewMsOf } from '../contract/lease.ts';
import { newId } from '../contract/values/ids.ts';
import type { ServerMasker } from '../policy/masking/masking.ts';
import { identify } from '../queue/membership/process-identity.ts';
import { Purger } from '../queue/purger.ts';
import { Scheduler } from '../queue/schedules/scheduler.ts';
import type { Store } from '../queue/store.ts';
import { adminTokenOf } from '../secrets/admin-token.ts';
import { aesBox } from '../secrets/aes-box.ts';
import { secretKeyOf } from '../secrets/key.ts';
import { checkKey } from '../secrets/key-check.ts';
import { Fingerprints } from '../server/limits/fingerprints.ts';
import { UsageExchange } from '../server/limits/usage-exchange.ts';
import { close, listen } from '../server/listen.ts';
import { createMetrics } from '../server/metrics.ts';
import type { NodeFacts } from '../server/metrics-facts.ts';
import type { HostStore } from '../sessions/host-store.ts';
import { retryWhileAway } from '../sessions/retry-while-away.ts';
import { agentEnvironment } from '../workspaces/local/environment/environment.ts';
import { type Composed, compose } from './compose.ts';
import { freeSpace } from './free-space.ts';
import { hostIdOf, machineName } from './host-id.ts';
import { createHttp } from './http.ts';
import { stopLeftovers } from './leftovers.ts';
import { explainListenError } from './listen-error.ts';
import { NodeReport } from './node-report.ts';
import { nodeUrlOf, unreachableHosts } from './node-url.ts';
import { openStore } from './open-store.ts';
import { ownPathsOf } from './own-paths.ts';
import { NodeReadiness } from './readiness.ts';
import { hideOwn, serverMasker } from './server-masker.ts';
import { explainRefusal, sharedDataIdOf } from './shared-data.ts';

/** How long open requests may take to finish when the node stops. */
const HTTP_GRACE_MS = 3000;
/** How long a stopping `baton api` keeps serving requests by default, while /readyz fails. */
const DRAIN_SECONDS = 5;
/** Workspaces that are pending for longer than this are counted in the metrics. */
const LONG_PENDING_MS = 5 * 60_000;

export type Role = 'api' | 'worker';

export interface NodeOptions {
  readonly roles?: readonly Role[];
  /** The log's masker, which is also given the secrets that are read from files. */
  readonly logMasker?: ServerMasker;
}

export interface Node {
  url: string;
  /** A URL that signs in the administrator once; null on a node without the API. */
  signInUrl: string | null;
  /** Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * The composition root: builds the parts, starts them, and stops them in reverse order. HTTP comes
 * first, so that a node waiting for its database shows up as alive but not ready.
 */
export async function startNode(
  config: Config,
  log: Logger,
  stop: AbortSignal,
  { roles = ['api', 'worker'], logMasker }: NodeOptions = {},
): Promise<Node> {
  await makeDataDirectory(config.dataDir, log);
  const servesApi = roles.includes('api');
  const many = config.database.kind === 'postgres';
  const started: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const readiness = new NodeReadiness();
  const stopAll = async (): Promise<void> => {
    readiness.stopping();
    // A part that fails to stop must not keep the others running.
    for (const stopPart of started.reverse()) {
      await stopPart().catch((err: unknown) => log.error({ err }, 'A component did not stop'));
    }
  };
  let composed: Composed | null = null;
  let facts: NodeFacts | null = null;

  try {
    const adminToken = await adminTokenOf(config.adminToken, config.dataDir);
    const key = await secretKeyOf(config.secretKey, config.dataDir);
    const dataId = await sharedDataIdOf(config);
    const identity = identify(await hostIdOf(config.hostId, config.dataDir));
    const box = aesBox(key);
    const metrics = createMetrics({ version: packageVersion(), facts: () => facts });
    const masker = serverMasker(config, process.env, metrics.secretMasked);
    for (const each of logMasker === undefined ? [masker] : [masker, logMasker]) {
      hideOwn(each, adminToken, key);
    }
    const { app, authenticator, limits, streams } = createHttp({
      config,
      log,
      adminToken,
      servesApi,
      executes: roles.includes('worker'),
      metrics,
      readiness,
      composed: () => composed,
      cluster: many ? { host: identity.host, secretKey: key } : null,
    });
    started.push(() => close(app, HTTP_GRACE_MS));
    const url = await listen(app, config.host, config.port).catch((error) => {
      throw explainListenError(error, config);
    });

    const store = await openStore(config.database, log, stop);
    started.push(() => store.close());
    authenticator.open(store);
    started.push(() => authenticator.close());
    // The database may become unavailable again at any step, so every step waits for it.
    await retryWhileAway(stop, () => checkKey(box, store));
    const installation = await retryWhileAway(stop, () =>
      store.putSettingOnce('installation', newId()),
    );
    const executes = roles.includes('worker');
    const { host } = identity;
    const hostName = await retryWhileAway(stop, () =>
      store.registerHost({
        id: host,
        name: config.hostName ?? machineName(),
        worker: executes,
        dataId,
      }),
    );
    const admit = async (): Promise<Error | null> => {
      const refusal = executes ? await store.admitHost(host) : null;
      return refusal === null ? null : explainRefusal(refusal, config);
    };
    const leaseMs = config.leaseSeconds * 1000;
    composed = compose({
      store,
      publicUrl: config.publicUrl ?? url,
      dataDir: config.dataDir,
      ownPaths: ownPathsOf(config, process.env),
      ...(config.database.kind === 'sqlite' ? { database: config.database.path } : {}),
      installation,
      masker,
      box,
      log,
      executes,
      environment: agentEnvironment(process.env, config.agentEnv),
      claudePath: config.claudePath,
      parkUsageLimit: config.parkUsageLimit,
      runOutputBytes: config.runOutputMib * 1024 * 1024,
      host,
      worker: {
        concurrency: config.workerConcurrency,
        caps: {
          types: { agent: config.maxConcurrentRuns },
          perOwner: config.maxRunsPerUser ?? null,
        },
        host,
        admit,
        // With SQLite, there is only one process.
        oneMachine: many,
        roles: [...roles],
        version: packageVersion(),
        url: many ? nodeUrlOf(config.nodeUrl, url) : null,
        leaseMs,
        onAttempt: metrics.attemptEnded,
      },
      queueMax: config.queueLimit,
      onReady: metrics.sessionReady,
      onCreationFailed: metrics.creationFailed,
      onPass: metrics.reconciled,
      onCost: metrics.agentCost,
      onDenied: metrics.policyDenied,
    });
    const { queue, worker, reconciler, connections, endLifelines } = composed;
    facts = {
      counts: () => queue.counts(),
      countSessions: () => store.countSessions(),
      longPending: () => store.countPending(LONG_PENDING_MS),
      auditLines: async () => (await store.listAudit({ limit: 1 }))[0]?.seq ?? 0,
      connections: () => connections.count,
      worker,
      ...(store.pool === undefined ? {} : { pool: store.pool }),
    };
    const { database, dataDir: directory } = config;
    const directories = [
      directory,
      ...(database.kind === 'sqlite' ? [dirname(database.path)] : []),
    ];
    readiness.opened({
      ask: () => queue.counts(),
      isThere: store.isThere ?? (() => true),
      freeBytes: () => freeSpace(directories),
      leaseRemainingMs: () => worker.leaseRemainingMs,
      renewMs: renewMsOf(leaseMs),
    });
    started.push(() => queue.close());
    started.push(() => connections.stop());
    // Readers stay connected during the runs' grace period; after it, they are asked to reconnect.
    started.push(() => streams.close());

    const purger = new Purger({ store, log });
    started.push(() => purger.stop());
    purger.start();

    const scheduler = new Scheduler({ store, log });
    started.push(() => scheduler.stop());
    scheduler.start();

    if (executes) {
      const { dataDir } = config;
      const stopped = retryWhileAway(stop, () =>
        stopLeftovers({ store, installation, self: identity, dataDir, log }),
      );
      metrics.leftoversStopped(await stopped);
    }
    started.push(async () => endLifelines());
    started.push(() => worker.stop());
    // Starting waits for the database, but stopping must not.
    const stopWorker = (): void => void worker.stop();
    stop.addEventListener('abort', stopWorker);
    stop.throwIfAborted();
    await worker.start();
    stop.removeEventListener('abort', stopWorker);
    started.push(() => reconciler.stop());
    reconciler.start();

    if (many) await retryWhileAway(stop, () => warnOfUnreachable(store, log));

    const nodeId = (): string | null => worker.nodeId;
    const report = new NodeReport({ store, nodeId, streams: () => streams.count, log });
    started.push(() => report.stop());
    report.start();

    if (servesApi && many) {
      const shared = {
        BATON_ADMIN_TOKEN: adminToken,
        BATON_PUBLIC_URL: config.publicUrl ?? null,
      };
      const exchange = new UsageExchange({
        store,
        nodeId,
        limits,
        fingerprints: new Fingerprints(shared, key, log),
        onExchange: metrics.exchanged,
      });
      started.push(() => exchange.stop());
      exchange.start();
    }

    if (servesApi) {
      // The command line reads the address from this file.
      const address = join(config.dataDir, 'address');
      await writeFile(address, `${url}\n${process.pid}\n`, { mode: 0o600 });
      started.push(() => rm(address, { force: true }));
    }
    if (servesApi) {
      // The first step of stopping: /readyz already fails, so load balancers choose other nodes.
      const drainSeconds = config.drainSeconds ?? (roles.length === 1 ? DRAIN_SECONDS : 0);
      started.push(() => delay(drainSeconds * 1000));
    }

    const signInUrl = servesApi
      ? `${config.publicUrl ?? url}/sign-in?code=${await retryWhileAway(stop, () => authenticator.startCode())}`
      : null;
    const { dataDir, isolation } = config;
    const about = { url, roles, host: hostName, dataDir, isolation, node: process.versions.node };
    log.info(about, 'Node started');
    return { url, signInUrl, stop: () => (stopping ??= stopAll()) };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/**
 * Logs a warning about hosts that other hosts cannot reach. Sessions on such a host work, but
 * host-bound requests fail if they arrive at another host (X7).
 */
async function warnOfUnreachable(
  store: Pick<Store, 'listNodes' | 'time'> & Pick<HostStore, 'listHosts'>,
  log: Logger,
): Promise<void> {
  const [nodes, now] = [await store.listNodes(), await store.time()];
  const hosts = unreachableHosts(nodes.filter(({ leaseUntil }) => leaseUntil > now));
  if (hosts.length === 0) return;
  const names = new Map((await store.listHosts()).map(({ id, name }) => [id, name]));
  log.warn(
    { hosts: hosts.map((id) => names.get(id) ?? id) },
    'Nodes on other hosts cannot reach these hosts; set BATON_NODE_URL on their nodes to a URL that the other hosts can reach',
  );
}
