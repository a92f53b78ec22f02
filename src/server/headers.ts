import type { FastifyReply, FastifyRequest } from 'fastify';

/** Answers are data: nothing may be loaded by them, and nothing may frame them. */
const DATA_CSP = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** Two years, as browsers ask for it. */
const HSTS = 'max-age=63072000';

/**
 * On every answer, also on errors before routing. A route may set a CSP of its own. That there is no
 * header of CORS is on purpose: no page of somebody else reads anything here.
 */
export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': DATA_CSP,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    'x-frame-options': 'DENY',
  });
}

/** Where browsers come by TLS, they are to come by nothing else. */
export function setTransportSecurity(reply: FastifyReply): void {
  reply.header('strict-transport-security', HSTS);
}
