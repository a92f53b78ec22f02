import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { AgentView } from '../contract/agent.ts';
import { BatonError } from '../contract/errors.ts';
import { addAuthentication } from './authentication-hook.ts';
import { answerClientError } from './client-error.ts';
import { sendError } from './errors.ts';
import type { Forwarder } from './forward/forwarder.ts';
import { setHeaders, setTransportSecurity } from './headers.ts';
import { limitLargeBodies } from './limits/large-bodies.ts';
import { type RequestAuthenticator, refuseAll } from './request-authenticator.ts';
import { readJsonBodies } from './request-body.ts';
import { logRequests, type RequestMetrics } from './request-log.ts';
import { type Api, createApi } from './route.ts';
import { addTicketRoute } from './routes/access.ts';
import { addClusterRoutes } from './routes/cluster.ts';
import { refuseStatusUpdates } from './routes/session-status.ts';
import { addSystemRoutes, type Readiness } from './routes/system.ts';
import { NOUN_ROUTES, type Services } from './services.ts';
import { asksForPage, pathOf } from './sign-in/pages.ts';
import { addPages } from './sign-in/routes.ts';
import { addWebApp } from './web/routes.ts';

const BODY_MAX = 1024 * 1024;
/** How long a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 120_000;
/** How long a request's headers may take to arrive; every client sends them all at once. */
const HEADERS_TIMEOUT_MS = 10_000;
/** How often both timeouts are checked. */
const TIMEOUT_CHECK_MS = 2000;
/** Percent-encoding can turn a tag of 20 characters into 180, and a run id of 200 into 1800. */
const PARAM_MAX = 2000;

export interface Metrics extends RequestMetrics {
  /** All metrics, as /metrics returns them. */
  text(): Promise<string>;
}

export interface AppOptions {
  readonly log: FastifyBaseLogger;
  /** Called for every request to /readyz; if it throws, the node is not ready. */
  readonly ready: () => Promise<Readiness>;
  /** Null until the database is open; HTTP starts before it. */
  readonly services?: () => Services | null;
  /** Which agents can run here. */
  readonly agents?: () => Promise<AgentView[]>;
  /** If requests are limited, also counts them. */
  readonly auth?: RequestAuthenticator;
  readonly metrics?: Metrics;
  /** Forwards requests to other hosts; null (the default) if there are none. */
  readonly forwarder?: Forwarder | null;
  /** Whether the API, the sign-in pages and the web app are served. */
  readonly servesApi?: boolean;
  /** Additional routes, such as streams. */
  readonly routes?: readonly ((api: Api, services: () => Services) => void)[];
  /** For tests: validates every response against its schema before it is sent. */
  readonly checkAnswers?: boolean;
}

/** The HTTP app: liveness and readiness are open; everything else requires a credential. */
export function createApp(options: AppOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    bodyLimit: BODY_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Other upgrades, such as an offer of HTTP/2, are treated as ordinary requests.
      shouldUpgradeCallback: ({ headers }) => isWebSocket(headers.upgrade),
    },
    routerOptions: { maxParamLength: PARAM_MAX },
    exposeHeadRoutes: false,
    genReqId: () => crypto.randomUUID(),
    // Shutting down must not wait for browsers that keep idle connections open.
    forceCloseConnections: 'idle',
    // Once the database is closed, requests get our own 503 with Retry-After.
    return503OnClosing: false,
    // Errors before routing, such as a URL that cannot be decoded.
    frameworkErrors: sendError,
    clientErrorHandler: answerClientError,
  });
  const { auth = refuseAll, servesApi = true, forwarder = null } = options;
  app.addHook('onRequest', async (request, reply) => {
    // Node emits every request in a packet, even after one of them has caused the connection to
    // close.
    if (request.raw.socket.destroyed) return reply.hijack();
    setHeaders(request, reply);
    if (auth.site.secure) setTransportSecurity(reply);
  });
  logRequests(app, options.metrics ?? null);
  addAuthentication(app, auth, servesApi);
  limitLargeBodies(app);
  readJsonBodies(app);
  app.setErrorHandler(sendError);
  const services = (): Services => {
    const opened = options.services?.() ?? null;
    if (opened === null) throw new BatonError('database_unreachable');
    return opened;
  };
  const api = createApi(app, {
    services,
    forwarder,
    servesApi,
    checkAnswers: options.checkAnswers ?? false,
  });
  const web = servesApi ? addWebApp(app) : null;
  if (web !== null) addPages(app, auth, web.first);
  app.setNotFoundHandler(async (request, reply) => {
    if (web === null || !asksForPage(request, pathOf(request))) {
      throw new BatonError(
        'not_found',
        'This path does not exist, or does not accept this method.',
      );
    }
    request.errorCode = 'not_found';
    return web.show(reply.code(404));
  });
  addSystemRoutes(api, { ready: options.ready, metrics: options.metrics ?? null });
  refuseStatusUpdates(api);
  for (const add of NOUN_ROUTES) add(api, services);
  addTicketRoute(api, auth.authenticator);
  addClusterRoutes(api, services, options.agents ?? (async () => []));
  for (const add of options.routes ?? []) add(api, services);
  return app;
}

const isWebSocket = (upgrade: string | undefined): boolean =>
  upgrade?.toLowerCase() === 'websocket';
