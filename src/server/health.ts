import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { handleErrors, sendError } from './errors.ts';

/**
 * What /readyz looks at: name of a part → ready, or in words why it is not. Anyone may read it, so
 * the words say which part, never an address, a path or a message from inside.
 */
export type Readiness = Record<string, true | string>;

export interface HealthOptions {
  log: FastifyBaseLogger;
  /** Asked at every request; if it throws, the node is not ready. */
  ready: () => Promise<Readiness>;
}

/** The HTTP app: liveness and readiness for anyone, everything else behind a credential. */
export function createApp({ log, ready }: HealthOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    bodyLimit: 1024 * 1024,
    genReqId: () => crypto.randomUUID(),
    // A stop must not wait for browsers that keep their connections open.
    forceCloseConnections: 'idle',
    // Errors before routing, such as a URL that cannot be decoded.
    frameworkErrors: sendError,
  });
  handleErrors(app);

  app.get('/healthz', async () => ({ status: 'ok' }));

  app.get('/readyz', async (request, reply) => {
    let checks: Readiness;
    try {
      checks = await ready();
    } catch (error) {
      request.log.warn({ err: error }, 'The readiness check failed');
      checks = { check: 'failed' };
    }
    const isReady = Object.values(checks).every((check) => check === true);
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isReady ? 'ready' : 'not_ready', checks });
  });

  return app;
}
