import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { StoreAuthenticatorOptions } from '../../src/access/store-authenticator.ts';
import { PAGE_KEY_HEADER } from '../../src/contract/page-key.ts';
import { createApp } from '../../src/server/app.ts';
import { type LimitSettings, Limits } from '../../src/server/limits/limits.ts';
import { withRequestLimits } from '../../src/server/limits/request-limits.ts';
import { createOwnSite, type OwnSiteOptions } from '../../src/server/own-site.ts';
import { requestAuthenticator } from '../../src/server/request-authenticator.ts';
import { authenticatorOver, DATABASES, peopleOf } from './authenticator-rig.ts';

export const HOST = 'localhost:80';
export const OURS = { host: HOST, origin: `http://${HOST}` };

/** The page key in the page that answers a sign-in. */
export const pageKeyIn = (page: string): string =>
  /data-page-key="([\w-]{43})"/.exec(page)?.[1] ?? '';

/** The app with real users on SQLite, and requests as a browser would send them. */
export async function signInRig(
  options: {
    readonly site?: OwnSiteOptions;
    readonly authenticator?: Partial<StoreAuthenticatorOptions>;
    readonly limits?: Partial<LimitSettings>;
  } = {},
) {
  const [, open] = DATABASES[0] ?? [];
  const store = await (await open?.())?.();
  if (store === undefined) throw new Error('no database');
  const authenticator = authenticatorOver(store, options.authenticator);
  const lines: string[] = [];
  const app = createApp({
    log: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
    ready: async () => ({}),
    auth: withRequestLimits(
      requestAuthenticator(authenticator, { site: createOwnSite(options.site) }),
      new Limits(options.limits),
    ),
  });
  onTestFinished(() => app.close());
  const post = (
    url: string,
    fields: Record<string, string>,
    headers: InjectOptions['headers'] = {},
  ) =>
    app.inject({
      method: 'POST',
      url,
      headers: {
        ...OURS,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      payload: new URLSearchParams(fields).toString(),
    });
  const get = (url: string, headers: InjectOptions['headers'] = {}) =>
    app.inject({ url, headers: { host: HOST, accept: 'text/html', ...headers } });
  /** The `Cookie` header that a browser would send after this answer. */
  const cookieOf = (answer: { headers: Record<string, unknown> }): string =>
    String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
  /** The headers of every request of the signed-in page. */
  const asPage = (answer: { headers: Record<string, unknown>; body: string }) => ({
    cookie: cookieOf(answer),
    [PAGE_KEY_HEADER]: pageKeyIn(answer.body),
  });
  return { asPage, app, store, authenticator, lines, people: peopleOf(store), post, get, cookieOf };
}
