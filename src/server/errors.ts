import type { FastifyReply, FastifyRequest } from 'fastify';
import { BatonError, ERRORS, type ErrorCode, isBatonError } from '../contract/errors.ts';
import { setHeaders } from './headers.ts';

/** When to try again, if the error does not say. */
const RETRY_AFTER_SECONDS: Record<number, number> = { 429: 5, 503: 2 };
/** Messages and field paths may quote the request, which may be long. */
const QUOTE_MAX = 500;

/** The shape of every API error. */
export function envelope(error: BatonError, requestId: string) {
  const { code, status } = error;
  const details = detailsOf(error);
  return {
    error: {
      code,
      message: messageOf(error),
      status,
      ...(details === undefined ? {} : { details }),
    },
    meta: { timestamp: new Date().toISOString(), requestId },
  };
}

export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toBatonError(thrown);
  request.errorCode = error.code;
  if (error.status >= 500) logFailure(thrown, error, request);
  setHeaders(request, reply);
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  // Fastify closes the connection if the body is too large. A connection that is closed with bytes
  // unread is reset, so a client that is still sending never sees this response. If the
  // connection stays open, Node reads the rest and drops it.
  if (error.status === 413) reply.removeHeader('connection');
  reply.code(error.status).type('application/json').send(envelope(error, request.id));
}

export function toBatonError(thrown: unknown): BatonError {
  if (isBatonError(thrown)) return thrown;
  const status =
    thrown instanceof Error && 'statusCode' in thrown ? Number(thrown.statusCode) : 500;
  if (status < 400 || status >= 500)
    return new BatonError('internal', undefined, { cause: thrown });
  const code = FRAMEWORK_CODES[status];
  return code === undefined
    ? new BatonError('invalid_request', (thrown as Error).message)
    : new BatonError(code);
}

/** Codes for Fastify's own errors, which occur before a handler is called. */
const FRAMEWORK_CODES: Record<number, ErrorCode> = {
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** Internal details go only to the log; the caller gets the text from the catalogue. */
function messageOf(error: BatonError): string {
  return isInternal(error) ? ERRORS[error.code][1] : short(error.message);
}

/** Which host cannot be reached is not a secret, because the session also shows it. */
const isInternal = ({ status, code }: BatonError): boolean => status >= 500 && code !== 'host_away';

function detailsOf(error: BatonError): unknown {
  const { details } = error;
  if (isInternal(error)) return undefined;
  const field = (details as { field?: unknown } | null | undefined)?.field;
  return typeof field === 'string' ? { ...(details as object), field: short(field) } : details;
}

const short = (text: string): string =>
  text.length > QUOTE_MAX ? `${text.slice(0, QUOTE_MAX).toWellFormed()}…` : text;

function logFailure(thrown: unknown, error: BatonError, request: FastifyRequest): void {
  // The database watch logs an outage once; requests do not repeat it.
  if (error.status === 503) request.log.debug({ err: thrown }, 'A request could not be served');
  else request.log.error({ err: thrown }, 'A request failed');
}

/** How many seconds to wait before trying again; undefined if trying again would not help. */
export function retryAfterOf({ status, details }: BatonError): number | undefined {
  const known = (details as { retryAfterSeconds?: unknown } | null | undefined)?.retryAfterSeconds;
  return typeof known === 'number' ? known : RETRY_AFTER_SECONDS[status];
}
