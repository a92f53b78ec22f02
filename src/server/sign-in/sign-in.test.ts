import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../../../test/support/authenticator-rig.ts';
import { OURS, pageKeyIn, signInRig } from '../../../test/support/sign-in-rig.ts';
import { rightsOf } from '../../access/principal.ts';
import { newSecret } from '../../access/secret.ts';
import { ADMIN_ID } from '../../contract/access.ts';
import { BatonError } from '../../contract/errors.ts';
import { PAGE_KEY_HEADER } from '../../contract/page-key.ts';
import { ASSETS } from '../web/paths.ts';
import { safeNext } from './form.ts';
import { PAGES } from './pages.ts';
import { languageOf } from './texts.ts';

const HOUR_MS = 60 * 60_000;

describe('the page', () => {
  test('[X1] asks for a token, or shows a button for the code of a link', async () => {
    const { get } = await signInRig();
    const bare = await get('/sign-in');
    expect(bare.statusCode).toBe(200);
    expect(bare.body).toMatch(/<label for="token">Token<\/label>/);
    const linked = await get('/sign-in?code=abc');
    expect(linked.body).toContain('name="code" value="abc"');
    expect(linked.body).not.toContain('data-by-itself');
  });

  test.each([
    [{ 'sec-fetch-site': 'none' }, true],
    [{}, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' }, false],
  ])('[X4] opened with %j, it signs in automatically: %s', async (headers, byItself) => {
    const { get } = await signInRig();
    const { body } = await get('/sign-in?code=abc', headers);
    expect(body.includes('data-by-itself')).toBe(byItself);
  });

  test('[X4] allows nothing inline and no frames, and is not cached', async () => {
    const { get } = await signInRig();
    const { headers, body } = await get('/sign-in?code=abc');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(body).not.toMatch(/<style|<script>| on\w+=| style=/);
  });

  test('[X4] shows the content of a link as text', async () => {
    const { get } = await signInRig();
    const { body } = await get(
      `/sign-in?code=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    expect(body).not.toContain('<script>alert');
  });

  test('is in Japanese for browsers that prefer it', async () => {
    const { get } = await signInRig();
    const { body } = await get('/sign-in', { 'accept-language': 'ja,en;q=0.8' });
    expect(body).toContain('<html lang="ja">');
    expect(body).toContain('サインイン');
  });

  test.each([
    ['ja', 'ja'],
    ['en-GB,ja;q=0.5', 'en'],
    ['fr, ja;q=0.4, en;q=0.3', 'ja'],
    ['ja;q=0, en', 'en'],
    ['fr', 'en'],
    [undefined, 'en'],
  ])('Accept-Language %s selects %s', (accepted, language) => {
    expect(languageOf(accepted)).toBe(language);
  });
});

/** The cookie header that a browser sends. */
const secretOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

describe('signing in', () => {
  test('[X1] with a code sets a cookie that no script can read, and leads to the start page', async () => {
    const { authenticator, post, get, cookieOf } = await signInRig();
    const answer = await post('/sign-in', { code: await authenticator.startCode() });
    expect([answer.statusCode, answer.body.includes('data-next="/"')]).toEqual([200, true]);
    expect(answer.headers['set-cookie']).toMatch(
      /^baton_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect((await get('/', { cookie: cookieOf(answer) })).statusCode).toBe(200);
    expect((await authenticator.byCookie(secretOf(cookieOf(answer))))?.by.userId).toBe(ADMIN_ID);
  });

  test('[X1] under https the cookie is limited to this host and TLS, and HSTS is set', async () => {
    const site = { publicUrl: 'https://baton.example' };
    const { authenticator, post, get, cookieOf } = await signInRig({ site });
    const headers = { host: 'baton.example', origin: 'https://baton.example' };
    const answer = await post('/sign-in', { code: await authenticator.startCode() }, headers);
    expect(answer.headers['set-cookie']).toMatch(/^__Host-baton_session=.*; SameSite=Lax; Secure$/);
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    expect((await get('/', { cookie: cookieOf(answer) })).statusCode).toBe(200);
    // As another site of the same domain could set it, without the prefix.
    const plain = cookieOf(answer).replace('__Host-', '');
    expect((await get('/', { cookie: plain })).statusCode).toBe(303);
  });

  test('[X1] a code works once, and then the page says so', async () => {
    const { authenticator, post } = await signInRig();
    const code = await authenticator.startCode();
    expect((await post('/sign-in', { code })).statusCode).toBe(200);
    const again = await post('/sign-in', { code });
    expect(again.statusCode).toBe(401);
    expect(again.body).toMatch(/role="alert"[^>]*>This link was already used/);
    expect(again.headers['set-cookie']).toBeUndefined();
    const program = await post('/sign-in', { code }, { accept: 'application/json' });
    expect([program.statusCode, program.json().error.code]).toEqual([401, 'sign_in_failed']);
  });

  test('[X1] with a token works, also with the admin token', async () => {
    const { authenticator, people, post, cookieOf } = await signInRig();
    const { id } = await people.user('hanako', 'viewer');
    const { token } = await people.token(id);
    const answer = await post('/sign-in', { token: ` ${token}\n` });
    const by = async (made: typeof answer) =>
      (await authenticator.byCookie(secretOf(cookieOf(made))))?.by;
    expect((await by(answer))?.userId).toBe(id);
    expect((await post('/sign-in', { token: ADMIN_TOKEN })).statusCode).toBe(200);
    // The sign-in has no more rights than the token.
    const reader = await people.token(ADMIN_ID, { scopes: ['read'] });
    const readers = await post('/sign-in', { token: reader.token });
    expect(rightsOf((await by(readers))!)).toEqual(['read']);
    const wrong = await post('/sign-in', { token: 'wrong' });
    expect([wrong.statusCode, wrong.body.includes('aria-invalid="true"')]).toEqual([401, true]);
  });

  test.each([
    [{}],
    [{ code: '' }],
    [{ code: 'a', token: 'b' }],
    [{ token: 'two words' }],
    [{ code: 'a', role: 'admin' }],
  ])('the form %j is refused', async (fields) => {
    const { post } = await signInRig();
    expect((await post('/sign-in', fields as Record<string, string>)).statusCode).toBe(400);
  });

  test('bodies of another type or size are refused', async () => {
    const { app, post } = await signInRig();
    expect((await post('/sign-in', { token: 'x'.repeat(9000) })).statusCode).toBe(413);
    const json = await app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: OURS,
      payload: { token: ADMIN_TOKEN },
    });
    expect(json.statusCode).toBe(400);
  });

  test('[X4] from another site is refused, and the code stays valid', async () => {
    const { authenticator, post } = await signInRig();
    const code = await authenticator.startCode();
    const answer = await post('/sign-in', { code }, { origin: 'http://evil.example' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'origin_refused']);
    expect((await post('/sign-in', { code })).statusCode).toBe(200);
  });

  test('[X4] does not keep a cookie of the browser, and ends its sign-in', async () => {
    const { authenticator, post, get, cookieOf } = await signInRig();
    const before = cookieOf(await post('/sign-in', { token: ADMIN_TOKEN }));
    const after = await post(
      '/sign-in',
      { code: await authenticator.startCode() },
      { cookie: before },
    );
    expect(cookieOf(after)).not.toBe(before);
    expect((await get('/', { cookie: cookieOf(after) })).statusCode).toBe(200);
    expect((await get('/', { cookie: before })).statusCode).toBe(303);
    const planted = `baton_session=${'a'.repeat(43)}`;
    const fixed = await post('/sign-in', { token: ADMIN_TOKEN }, { cookie: planted });
    expect(cookieOf(fixed)).not.toBe(planted);
  });

  test('[X4] a stolen cookie and another user’s credential sign nobody out', async () => {
    const { authenticator, people, post, get, asPage } = await signInRig();
    const victim = asPage(await post('/sign-in', { code: await authenticator.startCode() }));
    const { token } = await people.token((await people.user('taro', 'viewer')).id);
    const { cookie } = victim;
    expect((await post('/sign-in', { token }, { cookie })).statusCode).toBe(200);
    expect((await get('/api/v1/nothing', victim)).statusCode).toBe(404);
  });

  test('[O5] while the database is away, the page keeps the code and says so', async () => {
    const { authenticator, post } = await signInRig();
    const code = await authenticator.startCode();
    authenticator.signIn = async () => {
      throw new BatonError('database_unreachable');
    };
    const answer = await post('/sign-in', { code });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain(`value="${code}"`);
    expect(answer.body).toMatch(/role="alert"[^>]*>The database is not responding/);
    expect(answer.headers['retry-after']).toBe('2');
  });

  test('[H9] after too many attempts, the page keeps the code and says when to try again', async () => {
    const { authenticator, post } = await signInRig();
    const code = await authenticator.startCode();
    authenticator.signIn = async () => {
      throw new BatonError('rate_limited', undefined, { details: { retryAfterSeconds: 7 } });
    };
    const answer = await post('/sign-in', { code });
    expect(answer.statusCode).toBe(429);
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.body).toContain(`value="${code}"`);
    expect(answer.body).toMatch(/role="alert"[^>]*>Too many attempts/);
  });

  test('[H9] strangers at the same address do not prevent signing in with a valid code or token', async () => {
    const { authenticator, people, post, get } = await signInRig({ limits: { perAddress: 2 } });
    const bearer = { authorization: 'Bearer wrong', accept: '*/*' };
    const strangers = [await get('/docs', bearer), await get('/docs', bearer)];
    expect(strangers.map(({ statusCode }) => statusCode)).toEqual([401, 401]);
    expect((await get('/docs', bearer)).statusCode).toBe(429);
    expect((await post('/sign-in', { code: newSecret() })).statusCode).toBe(429);
    const code = await authenticator.startCode();
    expect((await post('/sign-in', { code })).statusCode).toBe(200);
    const { token } = await people.token((await people.user('hanako')).id);
    expect((await post('/sign-in', { token })).statusCode).toBe(200);
    // A used code counts as a stranger's.
    expect((await post('/sign-in', { code })).statusCode).toBe(429);
  });

  test('[P6] [X4] the log contains no code, cookie, page key or ticket', async () => {
    const { app, authenticator, lines, post, get, asPage } = await signInRig();
    const code = await authenticator.startCode();
    await get(`/sign-in?code=${code}`);
    const mine = asPage(await post('/sign-in', { code }));
    await get('/', mine);
    await post('/sign-in', { code });
    const url = '/api/v1/audit/export';
    const payload = { path: url };
    const headers = { ...OURS, ...mine };
    const made = await app.inject({ method: 'POST', url: '/api/v1/tickets', headers, payload });
    const { ticket } = made.json();
    for (const _ of ['taken', 'refused'])
      await get(`${url}?ticket=${ticket}`, { cookie: mine.cookie });
    expect(lines.length).toBeGreaterThan(6);
    const [, secret = ''] = mine.cookie.split('=');
    for (const each of [code, secret, mine[PAGE_KEY_HEADER], ticket]) {
      expect(each).toMatch(/^[\w-]{43}$/);
      expect(lines.join('')).not.toContain(each);
    }
  });

  test.each([
    ['/docs', '/docs'],
    ['/sessions/1?a=b#c', '/sessions/1?a=b#c'],
    [undefined, '/'],
    ['', '/'],
    ['docs', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/a//evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
  ])('[X4] after signing in, %j leads to %s', (next, to) => {
    expect(safeNext(next)).toBe(to);
  });
});

describe('the page key', () => {
  test('[X4] is sent once, in the response to a sign-in, which is not cached and cannot be framed', async () => {
    const { post, get, cookieOf } = await signInRig();
    const answer = await post('/sign-in', { token: ADMIN_TOKEN, next: '/s/x?event=7' });
    const script = /<script>([\s\S]*)<\/script>/.exec(answer.body)?.[1] ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    expect(answer.headers).toMatchObject({
      'content-security-policy': `default-src 'none'; script-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(answer.body).toContain('data-next="/s/x?event=7"');
    const key = pageKeyIn(answer.body);
    expect(key).toHaveLength(43);
    expect(JSON.stringify(answer.headers)).not.toContain(key);
    const cookie = cookieOf(answer);
    for (const path of ['/', '/sign-in', '/docs', '/settings/profile', '/nope']) {
      expect((await get(path, { cookie })).body).not.toContain(key);
    }
    // The cookie alone does not get another key: that takes a new sign-in.
    const again = await post('/sign-in', {}, { cookie });
    expect([again.statusCode, pageKeyIn(again.body)]).toEqual([400, '']);
  });

  test('[X4] is invalid for another sign-in, and without its cookie', async () => {
    const { get, post, asPage } = await signInRig();
    const [one, two] = [
      asPage(await post('/sign-in', { token: ADMIN_TOKEN })),
      asPage(await post('/sign-in', { token: ADMIN_TOKEN })),
    ];
    const status = async (headers: Record<string, string>) =>
      (await get('/api/v1/nothing', headers)).statusCode;
    expect(await status(one)).toBe(404);
    expect(await status({ ...one, cookie: two.cookie })).toBe(401);
    expect(await status({ [PAGE_KEY_HEADER]: one[PAGE_KEY_HEADER] })).toBe(401);
  });

  test('[X4] [H9] the cookie alone does not use up the limit of its user', async () => {
    const { get, post, people, asPage } = await signInRig({ limits: { perUser: 3 } });
    const { token } = await people.token((await people.user('hanako')).id);
    // The sign-in itself counts like any request with the token.
    const mine = asPage(await post('/sign-in', { token }));
    const { cookie } = mine;
    for (let i = 0; i < 5; i++) {
      expect((await get('/', { cookie })).statusCode).toBe(200);
      expect((await get('/api/v1/nothing', { cookie })).statusCode).toBe(401);
    }
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await get('/api/v1/nothing', mine)).statusCode);
    expect(statuses).toEqual([404, 404, 429]);
  });

  test('[H9] signing in with a token counts like any request with it, before anything is stored', async () => {
    const { post, people } = await signInRig({ limits: { perUser: 2 } });
    const { token } = await people.token((await people.user('hanako')).id);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await post('/sign-in', { token })).statusCode);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  test('[X4] [H9] pages opened by the cookie alone are counted by address, separately from everyone else', async () => {
    const { get, post, people, asPage } = await signInRig({ limits: { perAddress: 2 } });
    const signedIn = async (name: string) => {
      const { token } = await people.token((await people.user(name)).id);
      return asPage(await post('/sign-in', { token }));
    };
    const [mine, theirs] = [await signedIn('hanako'), await signedIn('taro')];
    const { cookie } = mine;
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await get('/', { cookie })).statusCode);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await get('/', mine)).statusCode).toBe(200);
    expect((await get('/', { cookie: theirs.cookie })).statusCode).toBe(200);
    expect((await get('/docs', { accept: '*/*' })).statusCode).toBe(401);
  });

  test('[X4] a page without its key shows why a new sign-in is needed', async () => {
    const { get } = await signInRig();
    const { body } = await get('/sign-in?without=key&next=%2Finbox');
    expect(body).toMatch(/role="alert"[^>]*>This browser still has its sign-in cookie/);
    expect(body).toContain('name="next" value="/inbox"');
    const japanese = await get('/sign-in?without=key', { 'accept-language': 'ja' });
    expect(japanese.body).toMatch(/role="alert"[^>]*>このブラウザーには/);
    expect((await get('/sign-in?without=<b>')).body).not.toContain('role="alert"');
  });
});

describe('signed in', () => {
  test('[X4] changes need our Origin and the page key; with a bad token the cookie does not count', async () => {
    const { app, post, asPage } = await signInRig();
    const mine = asPage(await post('/sign-in', { token: ADMIN_TOKEN }));
    const { cookie } = mine;
    const change = async (headers: Record<string, string>) => {
      const url = '/api/v1/nothing';
      return (
        await app.inject({ method: 'POST', url, headers: { host: OURS.host, ...mine, ...headers } })
      ).statusCode;
    };
    expect(await change({ origin: OURS.origin })).toBe(404);
    for (const key of ['', 'x', 'x'.repeat(43), mine[PAGE_KEY_HEADER].slice(1)]) {
      expect(await change({ origin: OURS.origin, [PAGE_KEY_HEADER]: key })).toBe(401);
    }
    expect(await change({})).toBe(403);
    expect(await change({ origin: 'http://localhost:81' })).toBe(403);
    expect(await change({ origin: OURS.origin, authorization: 'Bearer wrong' })).toBe(401);
    expect(await change({ authorization: `Bearer ${ADMIN_TOKEN}` })).toBe(404);
    expect(await change({ origin: OURS.origin, cookie: `${cookie}; ${cookie}` })).toBe(401);
  });

  test('[X1] a response replaces the secret after an hour, and both work for a while', async () => {
    let ahead = 0;
    const { post, get, cookieOf, asPage } = await signInRig({
      authenticator: { clock: () => Date.now() + ahead },
    });
    const mine = asPage(await post('/sign-in', { token: ADMIN_TOKEN }));
    const { cookie } = mine;
    expect((await get('/', mine)).headers['set-cookie']).toBeUndefined();
    ahead = HOUR_MS + 1000;
    // A thief of the cookie must not get its successor and sign the person out.
    expect((await get('/', { cookie })).headers['set-cookie']).toBeUndefined();
    const answer = await get('/', mine);
    expect(answer.headers['set-cookie']).toMatch(/^baton_session=.*; HttpOnly; SameSite=Lax$/);
    ahead = 0;
    // The key stays the same.
    for (const each of [cookieOf(answer), cookie]) {
      expect((await get('/api/v1/nothing', { ...mine, cookie: each })).statusCode).toBe(404);
      expect((await get('/', { cookie: each })).statusCode).toBe(200);
    }
  });

  test('[X1] signing out ends the sign-in and removes the cookie', async () => {
    const { post, get, asPage } = await signInRig();
    const mine = asPage(await post('/sign-in', { token: ADMIN_TOKEN }));
    const { cookie } = mine;
    // The cookie alone signs nobody out.
    expect((await post('/sign-out', {}, { cookie })).headers['set-cookie']).toBeUndefined();
    expect((await get('/', { cookie })).statusCode).toBe(200);
    const out = await post('/sign-out', {}, mine);
    expect(out.statusCode).toBe(204);
    expect(out.headers['set-cookie']).toMatch(/^baton_session=; Path=\/; Max-Age=0;/);
    expect((await get('/', { cookie })).statusCode).toBe(303);
    expect((await post('/sign-out', {}, mine)).statusCode).toBe(401);
  });
});

describe('a missing path', () => {
  test('[C2] shows the app in a browser, which says so; programs get the error', async () => {
    const { app, post, get, asPage } = await signInRig();
    const mine = asPage(await post('/sign-in', { token: ADMIN_TOKEN }));
    const { cookie } = mine;
    const [root, missing] = [await get('/', { cookie }), await get('/nope/there', { cookie })];
    expect([root.statusCode, missing.statusCode]).toEqual([200, 404]);
    const bare = (text: string) => text.replaceAll(/nonce-[\w-]+|"[\w-]{22}"/g, '');
    expect(bare(missing.body)).toBe(bare(root.body));
    expect(missing.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(missing.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    for (const answer of [
      await get('/nope', { authorization }),
      await get('/nope', { ...mine, accept: '*/*' }),
      await get('/nope', { ...mine, 'sec-fetch-mode': 'cors' }),
      await get('/api/v1/nope', mine),
      await app.inject({
        method: 'POST',
        url: '/nope',
        headers: { ...OURS, ...mine, accept: 'text/html' },
      }),
    ]) {
      expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'not_found']);
    }
    // With the cookie alone, only a person learns whether a path exists.
    for (const path of ['/api/v1/nope', '/sessions', '/metrics', '/ws/nope']) {
      expect([path, (await get(path, { cookie })).statusCode]).toEqual([path, 401]);
    }
    expect((await get('/nope', { cookie, accept: '*/*' })).statusCode).toBe(401);
  });
});

describe('an unknown host name', () => {
  const host = 'box.tail1234.ts.net:8080';

  test('[X4] shows in a browser what to set, in its language; programs get the error', async () => {
    const { get } = await signInRig();
    const shown = await get('/', { host });
    expect(shown.statusCode).toBe(403);
    expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(shown.body).toContain('<html lang="en">');
    expect(shown.body).toContain('BATON_PUBLIC_URL');
    expect(shown.body).toContain('BATON_ALLOWED_HOSTS=box.tail1234.ts.net');
    const japanese = await get('/s/x', { host, 'accept-language': 'ja' });
    expect([japanese.statusCode, japanese.body.includes('<html lang="ja">')]).toEqual([403, true]);
    for (const headers of [{ accept: '*/*' }, { authorization: 'Bearer x' }]) {
      const answer = await get('/', { host, ...headers });
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'host_refused']);
    }
    expect((await get('/api/v1/sessions', { host })).json().error.code).toBe('host_refused');
  });

  test('[X4] puts nothing of the request in the page, and the page loads nothing', async () => {
    const { get } = await signInRig();
    for (const name of ['"><script>alert(1)</script>', 'a<b>c', 'evil.example"onload=x']) {
      const { body, headers, statusCode } = await get('/<script>?<b>', { host: name });
      expect(statusCode).toBe(403);
      expect(body).not.toMatch(/<script|<b>|onload|alert/);
      const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
      const hash = createHash('sha256').update(style).digest('base64');
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(body.match(/(src|href)="[^"]*"/g)).toEqual(['href="data:,"']);
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });
});

describe('not signed in', () => {
  test('[X1] a browser is redirected to the page; everything else gets 401', async () => {
    const { app, get } = await signInRig();
    const status = async (url: string, headers = {}) => {
      const { statusCode, headers: answered } = await get(url, headers);
      return [statusCode, answered.location];
    };
    expect(await status('/')).toEqual([303, '/sign-in']);
    expect(await status('/docs')).toEqual([303, '/sign-in?next=%2Fdocs']);
    expect(await status('/s/x?event=7')).toEqual([303, '/sign-in?next=%2Fs%2Fx%3Fevent%3D7']);
    expect(await status('/', { accept: '*/*' })).toEqual([401, undefined]);
    expect(await status('/docs', { 'sec-fetch-mode': 'cors' })).toEqual([401, undefined]);
    expect(await status('/', { authorization: 'Bearer wrong' })).toEqual([401, undefined]);
    expect(await status('/api/v1/sessions')).toEqual([401, undefined]);
    // Existing and missing paths are answered alike.
    for (const path of ['/api/v1/nothing', '/sessions', '/sessions/x/nothing', '/ws/nothing']) {
      expect([path, await status(path)]).toEqual([path, [401, undefined]]);
    }
    expect(await status('/nothing')).toEqual([303, '/sign-in?next=%2Fnothing']);
    expect(await status('/nothing', { accept: 'application/json' })).toEqual([401, undefined]);
    expect((await app.inject({ method: 'POST', url: '/sign-out', headers: OURS })).statusCode).toBe(
      401,
    );
  });

  test('[X1] the list of pages matches what is served', async () => {
    const { app } = await signInRig();
    for (const { method, path, open } of PAGES) {
      const { statusCode } = await app.inject({ method, url: path, headers: OURS });
      // No file of the app has the name in the list, and a form without fields is invalid.
      const expected = path.startsWith(ASSETS) ? 404 : method === 'GET' ? 200 : 400;
      expect([method, path, statusCode]).toEqual([method, path, open ? expected : 401]);
    }
  });
});
