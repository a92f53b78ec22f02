import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import { BatonError, isBatonError } from '../../contract/errors.ts';
import { clearCookie, cookieOf, setCookie } from '../cookies.ts';
import { retryAfterOf } from '../errors.ts';
import { checkSignInOrigin } from '../origin.ts';
import type { RequestAuthenticator } from '../request-authenticator.ts';
import { type Form, parseForm, safeNext } from './form.ts';
import { HANDOVER_HEADERS, handoverPage } from './handover.ts';
import { SIGN_IN, wantsHtml } from './pages.ts';
import { SCRIPT } from './script.ts';
import { PAGE_HEADERS, type SignInView, signInPage } from './sign-in-page.ts';
import { STYLE } from './style.ts';
import { type Failure, languageOf } from './texts.ts';

const FORM_MAX = 8 * 1024;

/**
 * Adds the routes for signing in and out. `ahead` lists the files that the browser needs after
 * signing in.
 */
export function addPages(
  app: FastifyInstance,
  auth: RequestAuthenticator,
  ahead: () => readonly string[],
): void {
  // Registered in a scope of its own, because nothing else accepts forms.
  app.register((scope, _options, done) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => body,
    );
    addSignIn(scope, auth, ahead);
    addSignOut(scope, auth);
    done();
  });
}

function addSignIn(
  app: FastifyInstance,
  auth: RequestAuthenticator,
  ahead: () => readonly string[],
): void {
  const { site } = auth;

  get(app, SIGN_IN, async (request, reply) => {
    const { code, next, without } = request.query as Record<string, unknown>;
    // The browser loads the app while the person signs in.
    const links = ahead().map((path) => `<${path}>; rel=prefetch`);
    if (links.length > 0) reply.header('link', links.join(', '));
    return show(reply, {
      language: languageOf(request.headers['accept-language']),
      code: typeof code === 'string' && code !== '' ? code : null,
      byItself: isOpenedByPerson(request),
      next: safeNext(typeof next === 'string' ? next : undefined),
      failure: without === 'key' ? 'key' : null,
    });
  });
  get(app, '/sign-in/style.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(STYLE),
  );
  get(app, '/sign-in/script.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(SCRIPT),
  );

  app.post(
    SIGN_IN,
    { bodyLimit: FORM_MAX, config: { pattern: SIGN_IN, needs: null } },
    async (request, reply) => {
      checkSignInOrigin(request.headers, site);
      const form = parseForm(request.body);
      if (form === null) return fail(request, reply, null, new BatonError('invalid_request'));
      const from = { address: auth.addressOf(request), requestId: request.id };
      try {
        const made = await auth.signIn(form, from);
        if (made === null) throw new BatonError('sign_in_failed');
        await endPreviousSignIn(request, auth, { userId: made.by.userId, ...from });
        reply.header('set-cookie', setCookie(made.secret, made.lifeMs, site.secure));
        const language = languageOf(request.headers['accept-language']);
        const { pageKey, by } = made;
        const handover = { pageKey, userId: by.userId, next: safeNext(form.next) };
        return reply.headers(HANDOVER_HEADERS).send(handoverPage(language, handover));
      } catch (error) {
        return fail(request, reply, form, error);
      }
    },
  );
}

/** Called by the web app, which has the page key; a form could not send it. */
function addSignOut(app: FastifyInstance, { authenticator, site }: RequestAuthenticator): void {
  app.post(
    '/sign-out',
    { bodyLimit: FORM_MAX, config: { pattern: '/sign-out', needs: null } },
    async (request, reply) => {
      await authenticator.signOut(request.principal as Principal);
      request.dueCookie = null;
      return reply.header('set-cookie', clearCookie(site.secure)).code(204).send();
    },
  );
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const get = (app: FastifyInstance, path: string, answer: Answer) =>
  app.route({
    method: 'GET',
    url: path,
    exposeHeadRoute: true,
    config: { pattern: path, needs: null },
    handler: answer,
  });

const show = (reply: FastifyReply, view: SignInView): FastifyReply =>
  reply.headers(PAGE_HEADERS).send(signInPage(view));

/**
 * Whether the person opened the page themselves: no other site did, and the browser is not
 * prefetching. Otherwise a link could sign someone in as another user without their knowledge.
 * Browsers report this over TLS and for localhost; otherwise a click is required.
 */
const isOpenedByPerson = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-site'] === 'none' && headers['sec-purpose'] === undefined;

/**
 * Ends the browser's previous sign-in instead of continuing it, because someone may have planted
 * its secret in the browser. That sign-in is ended only if it belongs to the same user: a form has
 * no page key, and a cookie alone, which may be stolen, must not sign out another user (X4).
 * Another user's sign-in expires after a while without use.
 */
async function endPreviousSignIn(
  { headers }: FastifyRequest,
  { authenticator, site }: RequestAuthenticator,
  {
    userId,
    ...from
  }: { readonly userId: string; readonly address: string; readonly requestId: string },
): Promise<void> {
  const before = cookieOf(headers, site.secure);
  const known = before === null ? null : await authenticator.byCookie(before);
  if (known?.by.userId !== userId) return;
  await authenticator.signOut({ ...known.by, ...from });
}

/** People see the page again; programs get the error. */
function fail(
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form | null,
  error: unknown,
): FastifyReply {
  const failure = failureOf(form, error);
  if (failure === null || !wantsHtml(request.headers.accept)) throw error;
  const { status, code: errorCode } = error as BatonError;
  const retryAfter = retryAfterOf(error as BatonError);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  request.errorCode = errorCode;
  const isUnused = failure === 'away' || failure === 'often';
  const code = isUnused && form !== null && 'code' in form ? form.code : null;
  return show(reply.code(status), {
    language: languageOf(request.headers['accept-language']),
    code,
    byItself: false,
    next: safeNext(form?.next),
    failure,
  });
}

function failureOf(form: Form | null, error: unknown): Failure | null {
  if (form === null) return 'input';
  if (isBatonError(error, 'sign_in_failed')) return 'code' in form ? 'code' : 'token';
  if (isBatonError(error, 'rate_limited')) return 'often';
  return isBatonError(error) && error.status === 503 ? 'away' : null;
}
