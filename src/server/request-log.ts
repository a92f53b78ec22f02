import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../contract/errors.ts';
import { StrangerTally } from './stranger-tally.ts';

export interface RequestMetrics {
  /** `route` is the path in the contract, or `unmatched`; never the requested path. */
  request(route: string, method: string, status: number, seconds: number): void;
  /** Called when the response to the request is an error. */
  refused(code: ErrorCode): void;
}

/**
 * Logs every request once it has completed or been aborted, without its query, body or credential.
 * A stranger's refused request is not logged at level info; otherwise strangers could fill the log.
 */
export function logRequests(app: FastifyInstance, metrics: RequestMetrics | null): void {
  const strangers = new StrangerTally(app.log);
  app.addHook('onClose', async () => strangers.flush());
  app.decorateRequest('errorCode');
  app.addHook('onRequest', async (request, reply) => {
    const start = performance.now();
    finished(reply.raw, (error) => {
      const { statusCode } = reply.raw;
      const isRefused = request.principal === null && (statusCode >= 400 || error != null);
      if (isRefused) strangers.add(error == null ? statusCode : 'aborted');
      logRequest(request, reply, performance.now() - start, metrics, isRefused);
    });
  });
}

function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  ms: number,
  metrics: RequestMetrics | null,
  isRefused: boolean,
): void {
  const { method } = request;
  const route = request.routeOptions.config?.pattern ?? 'unmatched';
  const status = reply.raw.statusCode;
  // A stream lasts as long as its reader likes, and has its own metrics.
  if (!isStream(reply)) metrics?.request(route, method, status, ms / 1000);
  const { errorCode } = request;
  if (errorCode !== undefined) metrics?.refused(errorCode);
  const line = { method, route, status, ms: Math.round(ms * 10) / 10, errorCode };
  // Changes are of interest later; reads matter only when tracking down a problem.
  if (isRefused || method === 'GET' || method === 'HEAD')
    request.log.debug(line, 'Request answered');
  else request.log.info(line, 'Request answered');
}

const isStream = ({ raw }: FastifyReply): boolean =>
  String(raw.getHeader('content-type')).startsWith('text/event-stream');

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that was returned. */
    errorCode?: ErrorCode;
  }
}
