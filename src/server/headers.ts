import type { FastifyReply, FastifyRequest } from 'fastify';

/** Responses are data: they may load nothing, and nothing may frame them. */
const DATA_CSP = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** Two years, as recommended for browsers' preload lists. */
const HSTS = 'max-age=63072000';

/**
 * Set on every response, even for errors before routing. A route may set its own CSP. CORS headers
 * are left out on purpose: no other site may read anything here.
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

/** If browsers use TLS, they must never fall back to plain HTTP. */
export function setTransportSecurity(reply: FastifyReply): void {
  reply.header('strict-transport-security', HSTS);
}
