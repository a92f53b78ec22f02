import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { StoreAuthenticator } from '../access/store-authenticator.ts';
import type { Config } from '../config/config.ts';
import { BatonError } from '../contract/errors.ts';
import type { Store } from '../queue/store.ts';
import { createApp } from '../server/app.ts';
import { withAuthMetrics } from '../server/auth-metrics.ts';
import { forwardKeyOf } from '../server/forward/credential.ts';
import { DatabaseClock } from '../server/forward/database-clock.ts';
import { ForwardedRequests } from '../server/forward/forwarded-requests.ts';
import { Forwarder } from '../server/forward/forwarder.ts';
import { addressReader, proxyCheck } from '../server/limits/address.ts';
import { ConnectionGuard } from '../server/limits/connection-guard.ts';
import { connectionLimits, descriptorLimit } from '../server/limits/connection-limits.ts';
import { Limits } from '../server/limits/limits.ts';
import { withRequestLimits } from '../server/limits/request-limits.ts';
import type { Metrics } from '../server/metrics.ts';
import { createOwnSite } from '../server/own-site.ts';
import { requestAuthenticator } from '../server/request-authenticator.ts';
import type { OpenStreams } from '../server/streams/open-streams.ts';
import { registerStreams } from '../server/streams/register.ts';
import { agentProbe, agentProbes } from './agent-probes.ts';
import type { Composed } from './compose.ts';
import type { NodeReadiness } from './readiness.ts';

export interface HttpOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly adminToken: string;
  readonly servesApi: boolean;
  /** Whether this node runs agents. */
  readonly executes: boolean;
  readonly metrics: Metrics;
  readonly readiness: NodeReadiness;
  /** Null until the database is open. */
  readonly composed: () => Composed | null;
  /** This node's host, and the key shared by all nodes; null if there is only this node. */
  readonly cluster: { readonly host: string; readonly secretKey: Buffer } | null;
}

/** The HTTP app with its authentication and limits. */
export interface Http {
  readonly app: FastifyInstance;
  readonly authenticator: StoreAuthenticator;
  readonly limits: Limits;
  readonly streams: OpenStreams;
}

export function createHttp(options: HttpOptions): Http {
  const { config, log, metrics, readiness, servesApi, composed } = options;
  const limits = new Limits({
    perAddress: config.strangerLimit,
    streamsPerUser: config.streamLimit,
    ...(config.rateLimit === undefined ? {} : { perUser: config.rateLimit, includeAdmin: true }),
  });
  const authenticator = new StoreAuthenticator({ adminToken: options.adminToken });
  const site = createOwnSite(config);
  const addressOf = addressReader(config.trustedProxies);
  const connections = new ConnectionGuard({
    ...connectionLimits(descriptorLimit(), config.workerConcurrency, config.streamLimit),
    proxies: proxyCheck(config.trustedProxies),
    log,
  });
  const nodes = forwardingOf(options, authenticator);
  const forwarded = nodes?.forwarded ?? null;
  const unlimited = requestAuthenticator(authenticator, { site, addressOf, forwarded });
  const auth = withAuthMetrics(withRequestLimits(unlimited, limits, connections), metrics);
  let streams: OpenStreams | null = null;
  const app = createApp({
    log,
    auth,
    metrics,
    servesApi,
    forwarder: nodes?.forwarder ?? null,
    ready: () => readiness.check(),
    services: () => composed()?.services ?? null,
    agents: agentProbes({ probe: agentProbe(config, process.env), executes: options.executes }),
    routes: [
      (api, services) => {
        streams = registerStreams(api, services, { auth, metrics, slots: limits.streams });
      },
    ],
  });
  connections.watch(app.server);
  app.addHook('onClose', async () => nodes?.forwarder.close());
  return { app, authenticator, limits, streams: streams! };
}

/** Both ends of forwarding: what this node sends to others, and what it accepts from them (X7). */
function forwardingOf(
  { cluster, composed, log }: HttpOptions,
  authenticator: StoreAuthenticator,
): { forwarder: Forwarder; forwarded: ForwardedRequests } | null {
  if (cluster === null) return null;
  const store = (): Store => {
    const opened = composed();
    if (opened === null) throw new BatonError('database_unreachable');
    return opened.queue.store;
  };
  const { host, secretKey } = cluster;
  const shared = {
    key: forwardKeyOf(secretKey),
    clock: new DatabaseClock(() => store().time()),
    log,
  };
  const nodeId = (): string | null => composed()?.worker.nodeId ?? null;
  return {
    forwarder: new Forwarder({ ...shared, host, nodes: () => store().listNodes() }),
    forwarded: new ForwardedRequests({ ...shared, authenticator, nodeId }),
  };
}
