import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endpointList } from '../contract/api/endpoints.ts';
import { BatonError } from '../contract/errors.ts';
import type { RequestAuthenticator } from './auth.ts';
import { setCookie } from './cookies.ts';
import { asksForPage, PAGES, pathOf, signInPath } from './sign-in/pages.ts';
import { showRefusedHost } from './sign-in/refused-host.ts';
import { ticketOfUrl } from './url-ticket.ts';
import { ASSETS } from './web/paths.ts';

/** Requested by process monitors, under any host name. */
const PROBES = new Set(['/healthz', '/readyz']);

/**
 * Authenticates requests before routing can affect the answer: a stranger must not learn which
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
  app.decorateRequest('dueCookie', null);

  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request);
    if (PROBES.has(path)) return;
    try {
      auth.site.checkHost(request.raw);
    } catch (error) {
      if (!(pages && asksForPage(request, path))) throw error;
      return showRefusedHost(request, reply);
    }
    if (open.has(path) || (pages && path.startsWith(ASSETS))) return;
    const { headers, method, id: requestId } = request;
    const address = auth.addressOf(request);
    const { socket } = request.raw;
    const isPage = pages && isPageRequest(request, path);
    const { download = false } = request.routeOptions.config;
    const ticket = download ? ticketOfUrl(request.url) : null;
    const asking = { headers, method, address, requestId, socket, isPage, ticket };
    const known = await auth.authenticate(asking);
    if (known === null) {
      if (pages && asksForPage(request, path)) return reply.redirect(signInPath(request.url), 303);
      throw new BatonError('unauthorized');
    }
    request.principal = known.by;
    request.dueCookie = known.due;
  });

  // Runs when the answer is sent, so that the browser gets the secret that is in the database.
  // Streams do not run this hook.
  app.addHook('onSend', async (request, reply, payload) => {
    const next = await renewed(request, auth);
    if (next !== null) {
      reply.header('set-cookie', setCookie(next.secret, next.lifeMs, auth.site.secure));
    }
    return payload;
  });
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
    /** The secret of the cookie that the response replaces. */
    dueCookie: string | null;
  }
}
