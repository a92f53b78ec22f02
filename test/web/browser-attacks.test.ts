import { expect, test } from 'vitest';
import { PAGE_KEY_HEADER, PAGE_KEY_NAME } from '../../src/contract/page-key.ts';
import { casesOf } from '../support/depth.ts';
import { until } from '../support/until.ts';
import { attacker, formTo } from './attacker.ts';
import { browser } from './browser.ts';
import { isSignedIn, secretOf, siteOf } from './browser-rig.ts';
import { ask, signInByHand, ticketByHand, UPGRADE } from './by-hand.ts';

/*
 * Attacks whose outcome a browser decides, in a real Chromium. Each has a control: the same request
 * from our own page.
 */

const chromium = browser(['--host-resolver-rules=MAP evil.example 127.0.0.1']);
const CREATE = '{"name":"forged","agent":{"kind":"shell"},"x":"';

test('[X4] control: our own page may do everything', { timeout: 60_000 }, async () => {
  const site = await siteOf(chromium());
  // The page's own CSP would block its scripts from connecting, which is not what this tests.
  const { page } = await site.signedIn({ bypassCSP: true });
  const { id } = await site.server.session('mine');
  const seen = await page.evaluate(
    async ({ session, ours, header, name }) => {
      const key = localStorage.getItem(name) ?? '';
      const headers = { 'content-type': 'application/json', [header]: key };
      const post = (path: string, body: object) =>
        fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      const body = { name: 'by cookie', agent: { kind: 'shell' } };
      const { status } = await post('/api/v1/sessions', body);
      const stop = new AbortController();
      const events = `/api/v1/sessions/${session}/events`;
      const stream = (await fetch(events, { headers, signal: stop.signal })).status;
      stop.abort();
      const path = `/ws/sessions/${session}`;
      const made = await post('/api/v1/tickets', { path });
      const { ticket } = (await made.json()) as { ticket: string };
      const socket = new WebSocket(`${ours.replace('http', 'ws')}${path}?ticket=${ticket}`);
      const ws = await new Promise((resolve) => {
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('error');
      });
      socket.close();
      return { status, stream, ws };
    },
    { session: id, ours: site.server.url, header: PAGE_KEY_HEADER, name: PAGE_KEY_NAME },
  );
  expect(seen).toEqual({ status: 201, stream: 200, ws: 'open' });
  expect(await site.sessions()).toContain('by cookie');
});

test.each(casesOf(['neighbour', 'stranger'], ['neighbour']))(
  '[X4] a form of a %s changes nothing and does not sign out',
  { timeout: 60_000 },
  async (where) => {
    const site = await siteOf(chromium());
    const { url } = site.server;
    const evil = await attacker({
      '/create': formTo(`${url}/api/v1/sessions`, { [CREATE]: '"}' }, 'text/plain'),
      '/out': formTo(`${url}/sign-out`, {}),
    });
    const victim = await site.signedIn();
    for (const [path, target] of [
      ['/create', '/api/v1/sessions'],
      ['/out', '/sign-out'],
    ] as const) {
      const answered = victim.page.waitForResponse(`${url}${target}`);
      await victim.page.goto(`${evil[where]}${path}`);
      // The cookie is sent with a neighbour's form but not with a stranger's.
      expect((await answered).status()).toBe(where === 'neighbour' ? 403 : 401);
    }
    expect(await site.sessions()).toEqual([]);
    expect(await isSignedIn(victim, url)).toBe(true);
  },
);

test.each(casesOf(['neighbour', 'stranger'], ['neighbour']))(
  '[X4] scripts of a %s read nothing and change nothing',
  { timeout: 60_000 },
  async (where) => {
    const site = await siteOf(chromium(), { env: { BATON_LOG_LEVEL: 'debug' } });
    const { url } = site.server;
    const { id } = await site.server.session('mine');
    const evil = await attacker({ '/': '' });
    // Without the app's scripts, so that the only requests are those below.
    const { page } = await site.visitor();
    await page.route('**/assets/*', (route) => route.abort());
    await page.goto(site.link);
    await page.waitForURL(`${url}/`);
    await page.goto(`${evil[where]}/`);
    const answered = site.answered();
    const seen = await page.evaluate(
      async ({ target, session, create }) => {
        const attempt = (options: RequestInit) =>
          fetch(`${target}/api/v1/sessions`, { credentials: 'include', ...options }).then(
            async (answer) => `${answer.type} ${await answer.text()}`,
            () => 'failed',
          );
        const ended = (source: EventSource | WebSocket) =>
          new Promise((resolve) => {
            source.onopen = () => resolve('open');
            source.onmessage = () => resolve('message');
            source.onerror = () => resolve('error');
          });
        const events = `${target}/api/v1/sessions/${session}/events`;
        return {
          read: await attempt({}),
          blind: await attempt({ mode: 'no-cors' }),
          post: await attempt({ method: 'POST', mode: 'no-cors', body: create }),
          json: await attempt({
            method: 'POST',
            body: create,
            headers: { 'content-type': 'application/json' },
          }),
          stream: await ended(new EventSource(events, { withCredentials: true })),
          ws: await ended(new WebSocket(`${target.replace('http', 'ws')}/ws/sessions/${session}`)),
        };
      },
      { target: url, session: id, create: `${CREATE}"}` },
    );
    expect(seen).toEqual({
      read: 'failed',
      blind: expect.stringMatching(/^(opaque |failed)$/),
      post: expect.stringMatching(/^(opaque |failed)$/),
      json: 'failed',
      stream: 'error',
      ws: 'error',
    });
    // Refused by the server, not only hidden by the browser; a neighbour's request carries the
    // cookie.
    await until(() => answered().length >= 5);
    const refused = where === 'neighbour' ? [401, 403] : [401];
    expect(answered().filter((status) => !refused.includes(status))).toEqual([]);
    expect(answered().includes(403)).toBe(where === 'neighbour');
    expect(await site.sessions()).toEqual(['mine']);
  },
);

test('[X4] the server of another port gets the cookie, and can do nothing with it', {
  timeout: 60_000,
}, async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const { id } = await site.server.session('mine');
  const evil = await attacker({ '/': '' });
  const victim = await site.signedIn();
  await victim.page.goto(`${evil.neighbour}/`);
  const cookie = evil.cookies.at(-1) ?? '';
  expect(cookie).toBe(`baton_session=${await secretOf(victim)}`);
  const json = { 'content-type': 'application/json' };
  const token = JSON.stringify({ name: 'mine now', scopes: ['admin'], expiresInDays: null });
  for (const origin of [{}, { origin: url }]) {
    const as = { cookie, 'sec-fetch-site': 'same-origin', ...origin };
    const statuses = {
      me: (await ask(`${url}/api/v1/me`, 'GET', as)).status,
      page: (await ask(`${url}/api/v1/me`, 'GET', { ...as, accept: 'text/html' })).status,
      stream: (await ask(`${url}/api/v1/sessions/${id}/events`, 'GET', as)).status,
      old: (await ask(`${url}/sessions`, 'GET', as)).status,
      export: (await ask(`${url}/api/v1/sessions/${id}/export`, 'GET', as)).status,
      metrics: (await ask(`${url}/metrics`, 'GET', as)).status,
      ws: (await ask(`${url}/ws/sessions/${id}`, 'GET', { ...as, ...UPGRADE })).status,
      hints: (await ask(`${url}/ws/events`, 'GET', { ...as, ...UPGRADE })).status,
    };
    const socket = 'origin' in origin ? 401 : 403;
    expect(statuses).toEqual({
      me: 401,
      page: 401,
      stream: 401,
      old: 401,
      export: 401,
      metrics: 401,
      ws: socket,
      hints: socket,
    });
    const made = await ask(`${url}/api/v1/tokens`, 'POST', { ...as, ...json }, token);
    expect(made.status).toBe('origin' in origin ? 401 : 403);
  }
  const ours = { cookie, origin: url };
  const ticket = await ask(
    `${url}/api/v1/tickets`,
    'POST',
    { ...ours, ...json },
    '{"path":"/ws/events"}',
  );
  expect(ticket.status).toBe(401);
  // The page is the same for everyone; it contains no secret and sets no other cookie.
  for (const path of ['/', '/settings', '/sign-in', '/docs']) {
    const page = await ask(`${url}${path}`, 'GET', { ...ours, accept: 'text/html' });
    expect([path, page.status, page.headers['set-cookie']]).toEqual([path, 200, undefined]);
    expect(page.text).not.toMatch(/[\w-]{43}/);
  }
  await ask(`${url}/sign-out`, 'POST', ours);
  await victim.page.goto(`${url}/settings/profile`);
  await victim.page.getByRole('button', { name: 'Sign out' }).waitFor();
  expect(await site.sessions()).toEqual(['mine']);
});

test('[X4] a cookie without an Origin changes nothing and opens no WebSocket', async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const { id } = await site.server.session('mine');
  const mine = await signInByHand(url);
  const { cookie, pageKey } = mine;
  const path = `/ws/sessions/${id}`;
  const status = async (method: string, at: string, headers: Record<string, string>) =>
    (await ask(`${url}${at}`, method, { cookie, [PAGE_KEY_HEADER]: pageKey, ...headers })).status;
  const opened = async (headers: Record<string, string>) => {
    const ticket = await ticketByHand(url, mine, path);
    return (await ask(`${url}${path}?ticket=${ticket}`, 'GET', { ...UPGRADE, cookie, ...headers }))
      .status;
  };
  const ours = { origin: url };
  expect(await status('DELETE', `/api/v1/sessions/${id}`, {})).toBe(403);
  expect(await opened({})).toBe(403);
  expect(await opened({ origin: 'null' })).toBe(403);
  expect(await opened({ ...ours, host: 'evil.example' })).toBe(403);
  const token = { authorization: `Bearer test-token-0123456789abcdef` };
  expect(await opened({ ...token, origin: 'http://evil.example' })).toBe(403);
  expect(await opened(ours)).toBe(101);
  expect(await opened(token)).toBe(101);
  expect(await status('PUT', `/api/v1/sessions/${id}`, ours)).toBe(400);
});

test('[X4] a foreign name that resolves to this server (DNS rebinding) gets nothing', async () => {
  const site = await siteOf(chromium());
  const { port } = new URL(site.server.url);
  const { page } = await site.visitor({ bypassCSP: true });
  const answer = await page.goto(`http://evil.example:${port}/sign-in`);
  expect(answer?.status()).toBe(403);
  const shown = await answer?.text();
  expect(shown).toContain('BATON_ALLOWED_HOSTS=evil.example');
  expect(shown).not.toMatch(/<(form|script)/);
  // Same-origin to the browser, which (without the refusal's CSP) therefore lets it read the
  // response.
  const read = await page.evaluate(async () => (await fetch('/api/v1/sessions')).json());
  expect(read).toMatchObject({ error: { code: 'host_refused', status: 403 } });
  expect((await page.goto(`${site.server.url}/sign-in`))?.status()).toBe(200);
});

test('[X1] a link signs in one browser, also if two open it at once', {
  timeout: 60_000,
}, async () => {
  const site = await siteOf(chromium());
  const two = [await site.visitor(), await site.visitor()];
  await Promise.all(
    two.map(async ({ page }) => {
      await page.goto(site.link);
      const signedIn = page.getByRole('link', { name: 'New session' });
      await signedIn.or(page.getByRole('alert')).first().waitFor();
    }),
  );
  const secrets = await Promise.all(two.map(secretOf));
  expect(secrets.filter((secret) => secret !== undefined)).toHaveLength(1);
  const third = await site.visitor();
  await third.page.goto(site.link);
  await third.page.getByRole('alert').waitFor();
  expect(await third.page.getByRole('alert').textContent()).toContain('already used');
  expect(await secretOf(third)).toBeUndefined();
});

test('[X1] the code is in neither the address nor the history afterwards', async () => {
  const site = await siteOf(chromium());
  const mail = await attacker({ '/': `<a href="${site.link}">your link</a>` });
  const { page } = await site.visitor();
  await page.goto(`${mail.stranger}/`);
  await page.getByText('your link').click();
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await page.waitForURL(`${site.server.url}/`);
  await page.goBack();
  expect(page.url()).toBe(`${site.server.url}/sign-in`);
});

test('[X4] a cookie that was planted is not taken over, and is worth nothing afterwards', async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const planter = await site.signedIn();
  const planted = (await secretOf(planter)) ?? '';
  const victim = await site.visitor();
  await victim.context.addCookies([{ name: 'baton_session', value: planted, url }]);
  await victim.page.goto(`${url}/sign-in?code=${await site.code()}`);
  await victim.page.waitForURL(`${url}/`);
  expect(await secretOf(victim)).not.toBe(planted);
  expect(await isSignedIn(victim, url)).toBe(true);
  expect(await isSignedIn(planter, url)).toBe(false);
});

test.each(casesOf(['neighbour', 'stranger'], ['neighbour']))(
  '[X4] a link or a form of a %s signs nobody in as somebody else',
  { timeout: 60_000 },
  async (where) => {
    const site = await siteOf(chromium());
    const { url } = site.server;
    const code = await site.code();
    const evil = await attacker({
      '/link': `<a href="${url}/sign-in?code=${code}">prize</a>`,
      '/sent': `<script>location = '${url}/sign-in?code=${code}'</script>`,
      '/form': formTo(`${url}/sign-in`, { code }),
    });
    const victim = await site.visitor();
    const { page } = victim;
    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url());
    });
    await page.goto(`${evil[where]}/link`);
    await page.getByText('prize').click();
    await page.waitForURL(/code=/, { waitUntil: 'load' });
    await page.goto(`${evil[where]}/sent`);
    await page.waitForURL(/code=/, { waitUntil: 'load' });
    expect(posts).toEqual([]);
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.goto(`${evil[where]}/form`);
    expect((await answered).status()).toBe(403);
    expect(await secretOf(victim)).toBeUndefined();
    // Control: users can still do it themselves.
    await page.goto(`${evil[where]}/link`);
    await page.getByText('prize').click();
    await page.getByRole('button', { name: 'Sign in' }).first().click();
    await page.waitForURL(`${url}/`);
    expect(await secretOf(victim)).toBeDefined();
  },
);

test('[X4] none of our pages can be shown in a frame', async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const paths = ['/', '/sign-in', '/docs'];
  const evil = await attacker({
    '/': paths.map((path) => `<iframe src="${url}${path}"></iframe>`).join(''),
  });
  const { page } = await site.signedIn();
  await page.goto(`${evil.neighbour}/`, { waitUntil: 'load' });
  await until(() => page.frames().length === 1 + paths.length);
  const shown = page.frames().slice(1);
  await Promise.all(shown.map((frame) => frame.waitForLoadState('load')));
  for (const frame of shown) expect(await frame.locator('main, nav').count()).toBe(0);
});

test('[X4] scripts cannot read the cookie, and none that is inline runs', async () => {
  const site = await siteOf(chromium());
  const inject = `(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return [document.cookie, window.ran ?? false];
  })()`;
  const { page } = await site.signedIn();
  for (const path of ['/', '/sign-in', '/docs']) {
    await page.goto(`${site.server.url}${path}`);
    expect([path, await page.evaluate(inject)]).toEqual([path, ['', false]]);
  }
  const open = await site.visitor({ bypassCSP: true });
  await open.page.goto(`${site.server.url}/sign-in`);
  expect(await open.page.evaluate(inject)).toEqual(['', true]);
});
