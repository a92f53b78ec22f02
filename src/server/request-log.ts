import { finished } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../contract/errors.ts';

export interface RequestMetrics {
  /** `route` is the path as the contract writes it, or `unmatched`: never what was asked for. */
  request(route: string, method: string, status: number, seconds: number): void;
  /** An error was the answer. */
  refused(code: ErrorCode): void;
}

/** Tells of every request once it was answered or broken off: no query, no body, no credential. */
export function logRequests(app: FastifyInstance, metrics: RequestMetrics | null): void {
  app.decorateRequest('errorCode');
  app.addHook('onRequest', async (request, reply) => {
    const begun = performance.now();
    finished(reply.raw, () => tell(request, reply, performance.now() - begun, metrics));
  });
}

function tell(
  request: FastifyRequest,
  reply: FastifyReply,
  ms: number,
  metrics: RequestMetrics | null,
): void {
  const { method } = request;
  const route = request.routeOptions.config?.pattern ?? 'unmatched';
  const status = reply.raw.statusCode;
  // A stream is as long as its reader likes; it has metrics of its own.
  if (!isStream(reply)) metrics?.request(route, method, status, ms / 1000);
  const { errorCode } = request;
  if (errorCode !== undefined) metrics?.refused(errorCode);
  const line = { method, route, status, ms: Math.round(ms * 10) / 10, errorCode };
  // Who changes something is of interest later; who looks only when there is trouble.
  if (method === 'GET' || method === 'HEAD') request.log.debug(line, 'Request answered');
  else request.log.info(line, 'Request answered');
}

const isStream = ({ raw }: FastifyReply): boolean =>
  String(raw.getHeader('content-type')).startsWith('text/event-stream');

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the error that was the answer. */
    errorCode?: ErrorCode;
  }
}
