import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endpointList } from '../contract/api/endpoints.ts';
import { BatonError } from '../contract/errors.ts';
import { setCookie } from './cookies.ts';
import { PROOF_HEADER } from './forward/credential.ts';
import { acceptForwarded } from './forward/forwarded-body.ts';
import { isForwarded, type RequestAuthenticator } from './request-authenticator.ts';
import { asksForPage, PAGES, pathOf, signInPath } from './sign-in/pages.ts';
import { showRefusedHost } from './sign-in/refused-host.ts';
import { ticketOfUrl } from './url-ticket.ts';
import { ASSETS } from './web/paths.ts';

/** Process monitors request these paths, under any host name. */
const PROBES = new Set(['/healthz', '/readyz']);

/** How soon a change takes effect if its notification was lost. */
const RECHECK_MS = 500;

/**
 * Authenticates requests before routing can affect the response: a stranger must not learn which
 * paths exist (X1).
 */
export function addAuthentication(
  app: FastifyInstance,
  auth: RequestAuthenticator,
  pages: boolean,
): void {
  const everything = [...endpointList.map(([, each]) => each), ...(pages ? PAGES : [])];
  const open = new Set(everything.filter((each) => each.open).map(({ path }) => path));
  app.decorateRequest('principal', null);
  app.decorateRequest('authenticatedAt', 0);
  app.decorateRequest('dueCookie', null);
  app.decorateRequest('forwarded', null);

  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    // The credential of a forwarded request proves more than a Host header, so it alone decides,
    // even on paths that need no credential.
    const fromNode = isForwarded(request);
    if (!fromNode) {
      if (PROBES.has(path)) return refuseBody(request);
      try {
        auth.site.checkHost(request.raw);
      } catch (error) {
        if (!(pages && asksForPage(request, path))) throw error;
        return showRefusedHost(request, reply);
      }
      if (open.has(path) || (pages && path.startsWith(ASSETS))) return refuseBody(request);
    }
    const { headers, method, url, id: requestId } = request;
    const proof = fromNode ? auth.proofFor({ headers, method, url }) : null;
    if (proof !== null) reply.header(PROOF_HEADER, proof);
    const address = auth.addressOf(request);
    const { socket } = request.raw;
    const isPage = pages && isPageRequest(request, path);
    const { download = false } = request.routeOptions.config;
    const ticket = download ? ticketOfUrl(request.url) : null;
    const asking = { headers, method, url, address, requestId, socket, isPage, ticket };
    const known = await auth.authenticate(asking);
    if (known === null) {
      if (!fromNode && pages && asksForPage(request, path))
        return reply.redirect(signInPath(request.url), 303);
      throw new BatonError('unauthorized');
    }
    request.principal = known.by;
    request.authenticatedAt = performance.now();
    request.dueCookie = known.due;
    if (known.bodyDigest !== undefined) acceptForwarded(request, known.by, known.bodyDigest);
  });

  let changedAt = Number.NEGATIVE_INFINITY;
  const ignoreChanges = auth.authenticator.onChange(() => {
    changedAt = performance.now();
  });
  app.addHook('onClose', async () => ignoreChanges());
  // A body may take minutes to arrive, and its sender may have lost access in the meantime.
  app.addHook('preValidation', async (request) => {
    const { principal, authenticatedAt } = request;
    if (principal === null) return;
    const isRecent = performance.now() - authenticatedAt < RECHECK_MS;
    if (isRecent && authenticatedAt > changedAt) return;
    const now = await auth.authenticator.recheck(principal);
    if (now === null) throw new BatonError('unauthorized');
    request.principal = now.by;
  });

  // Runs when the response is sent, so that the browser gets the secret that is in the database.
  // Streams do not run this hook.
  app.addHook('onSend', async (request, reply, payload) => {
    const next = await renewed(request, auth);
    if (next !== null) {
      reply.header('set-cookie', setCookie(next.secret, next.lifeMs, auth.site.secure));
    }
    return payload;
  });
}

/** If no route would read a stranger's body, refuses it before it is received. */
function refuseBody({ is404, headers }: FastifyRequest): void {
  const hasBody = headers['content-length'] ?? headers['transfer-encoding'];
  if (is404 && hasBody !== undefined) throw new BatonError('not_found');
}

/**
 * The cookie alone opens pages that are the same for everyone, including the one for a missing path
 * (X4).
 */
function isPageRequest(request: FastifyRequest, path: string): boolean {
  const { is404, routeOptions } = request;
  return is404 ? asksForPage(request, path) : routeOptions.config.page === true;
}

async function renewed(
  { dueCookie, log }: FastifyRequest,
  { authenticator }: RequestAuthenticator,
) {
  if (dueCookie === null) return null;
  return await authenticator.renew(dueCookie).catch((err: unknown) => {
    log.debug({ err }, 'A cookie was not renewed');
    return null;
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** When the principal was authenticated, on the clock of `performance.now()`. */
    authenticatedAt: number;
    /** The secret of the cookie that the response replaces. */
    dueCookie: string | null;
  }
}
