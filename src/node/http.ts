import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { StoreAuthenticator } from '../access/authenticator.ts';
import type { Config } from '../config/config.ts';
import { BatonError } from '../contract/errors.ts';
import { createApp } from '../server/app.ts';
import { requestAuthenticator } from '../server/auth.ts';
import { withAuthMetrics } from '../server/auth-metrics.ts';
import { addressReader, proxyCheck } from '../server/limits/address.ts';
import { ConnectionGuard } from '../server/limits/connection-guard.ts';
import { connectionLimits, descriptorLimit } from '../server/limits/connection-limits.ts';
import { Limits } from '../server/limits/limits.ts';
import { withRequestLimits } from '../server/limits/request-limits.ts';
import type { Metrics } from '../server/metrics.ts';
import { createOwnSite } from '../server/own-site.ts';
import type { OpenStreams } from '../server/streams/open-streams.ts';
import { registerStreams } from '../server/streams/register.ts';
import { agentProbes } from './agent-probes.ts';
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
  const unlimited = requestAuthenticator(authenticator, { site, addressOf });
  const auth = withAuthMetrics(withRequestLimits(unlimited, limits, connections), metrics);
  const served = <T>(part: (composed: Composed) => T) => {
    return (): T | null => {
      if (!servesApi)
        throw new BatonError(
          'not_found',
          'This node does not serve the API. Send the request to an API node.',
        );
      const all = composed();
      return all === null ? null : part(all);
    };
  };
  let streams: OpenStreams | null = null;
  const app = createApp({
    log,
    auth,
    metrics,
    pages: servesApi,
    ready: () => readiness.check(),
    service: served(({ service }) => service),
    access: served(({ access }) => access),
    agents: agentProbes({ config, env: process.env, executes: options.executes }),
    routes: [
      (api) => {
        streams = registerStreams(api, { auth, metrics, slots: limits.streams });
      },
    ],
  });
  connections.watch(app.server);
  return { app, authenticator, limits, streams: streams! };
}
