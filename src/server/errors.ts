import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BatonError, isBatonError } from '../contract/errors.ts';

const OPEN_TO_ALL = new Set(['/healthz', '/readyz']);

/** Gives every error the one shape of the API, and lets nobody in without a credential. */
export function handleErrors(app: FastifyInstance): void {
  // Before routing matters to the answer: a stranger must not learn which paths exist.
  app.addHook('onRequest', async (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (!OPEN_TO_ALL.has(path)) throw new BatonError('unauthorized');
  });
  app.setNotFoundHandler(async () => {
    throw new BatonError('not_found');
  });
  app.setErrorHandler(sendError);
}

/** The one shape of an error of the API. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { code, message, status, details } = toBatonError(thrown, request);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(status).send({
    error: { code, message, status, ...(details === undefined ? {} : { details }) },
    meta: { timestamp: new Date().toISOString(), requestId: request.id },
  });
}

function toBatonError(error: unknown, request: FastifyRequest): BatonError {
  if (isBatonError(error)) return error;
  const status = statusOf(error);
  if (status === 413) return new BatonError('payload_too_large');
  if (status >= 400 && status < 500) return new BatonError('invalid_request', messageOf(error));
  // What went wrong inside is for the log, not for the caller.
  request.log.error({ err: error }, 'A request failed');
  return new BatonError('internal');
}

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
