import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import { BatonError } from '../../contract/errors.ts';
import { bodyDigestOf } from './credential.ts';

export const EMPTY = Buffer.alloc(0);

/**
 * Marks a request as forwarded. The response and the log lines contain the request id that the
 * caller was given.
 */
export function acceptForwarded(
  request: FastifyRequest,
  { requestId }: Principal,
  bodyDigest: string,
): void {
  request.forwarded = { bodyDigest };
  if (requestId === undefined) return;
  request.id = requestId;
  request.log = request.log.child({ forwardedId: requestId });
}

/** Refuses forwarded requests whose body differs from the one they were signed with (X7). */
export function checkForwardedBodies(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ forwarded, rawBody, headers }) => {
    if (forwarded === null) return;
    // The body of a GET is not read, but nodes do not send one either.
    const isUnread = rawBody === undefined && hasBody(headers);
    if (isUnread || forwarded.bodyDigest !== bodyDigestOf(rawBody ?? EMPTY)) {
      throw new BatonError('unauthorized');
    }
  });
}

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if another node forwarded the request. */
    forwarded: { readonly bodyDigest: string } | null;
    /** The body of a host-bound request as it arrived. */
    rawBody?: Buffer;
  }
}
