import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers are data: nothing may be loaded by them, and nothing may frame them. */
const DATA_CSP = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** On every answer, also on errors before routing. A route may set a CSP of its own. */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': DATA_CSP,
    'referrer-policy': 'no-referrer',
  });
}
