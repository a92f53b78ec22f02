import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endpointList } from '../contract/api/endpoints.ts';
import { BatonError } from '../contract/errors.ts';
import type { RequestAuthenticator } from './auth.ts';
import { setCookie } from './cookies.ts';
import { asksForPage, PAGES, pathOf, signInPath } from './sign-in/pages.ts';
import { showRefusedHost } from './sign-in/refused-host.ts';
import { ticketIn } from './ticket-in.ts';
import { ASSETS } from './web/paths.ts';

/** Asked by what watches over processes, by whatever name it knows this one. */
const PROBES = new Set(['/healthz', '/readyz']);

/** Before routing matters to the answer: a stranger must not learn which paths exist (X1). */
export function letIn(app: FastifyInstance, auth: RequestAuthenticator, pages: boolean): void {
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
    const ticket = download ? ticketIn(request.url) : null;
    const asking = { headers, method, address, requestId, socket, isPage, ticket };
    const known = await auth.authenticate(asking);
    if (known === null) {
      if (pages && asksForPage(request, path)) return reply.redirect(signInPath(request.url), 303);
      throw new BatonError('unauthorized');
    }
    request.principal = known.by;
    request.dueCookie = known.due;
  });

  // When the answer is on its way, so that the browser learns of what the database knows. A stream
  // never comes by here.
  app.addHook('onSend', async (request, reply, payload) => {
    const next = await renewed(request, auth);
    if (next !== null) {
      reply.header('set-cookie', setCookie(next.secret, next.lifeMs, auth.site.secure));
    }
    return payload;
  });
}

/** What the cookie alone opens (X4): pages that are the same for everyone, and that one is missing. */
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
    log.debug({ err }, 'A cookie keeps its secret for now');
    return null;
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The secret of a cookie that is to be replaced with the answer. */
    dueCookie: string | null;
  }
}
