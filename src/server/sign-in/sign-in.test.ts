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
import { languageOf } from './words.ts';

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
  ])('[X4] opened with %j it signs in by itself: %s', async (headers, byItself) => {
    const { get } = await signInRig();
    const { body } = await get('/sign-in?code=abc', headers);
    expect(body.includes('data-by-itself')).toBe(byItself);
  });

  test('[X4] allows nothing inline, no frames, and is not kept', async () => {
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

  test('[X4] shows what a link brings as text', async () => {
    const { get } = await signInRig();
    const { body } = await get(
      `/sign-in?code=${encodeURIComponent('"><script>alert(1)</script>')}`,
    );
    expect(body).not.toContain('<script>alert');
  });

  test('speaks Japanese to those who ask for it', async () => {
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
  ])('Accept-Language %s is %s', (accepted, language) => {
    expect(languageOf(accepted)).toBe(language);
  });
});

/** Of a cookie as a browser sends it. */
const secretOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

describe('signing in', () => {
  test('[X1] by a code gives a cookie that no script reads, and leads to the beginning', async () => {
    const { authenticator, post, get, cookieOf } = await signInRig();
    const answer = await post('/sign-in', { code: await authenticator.startCode() });
    expect([answer.statusCode, answer.body.includes('data-next="/"')]).toEqual([200, true]);
    expect(answer.headers['set-cookie']).toMatch(
      /^baton_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    expect((await get('/', { cookie: cookieOf(answer) })).statusCode).toBe(200);
    expect((await authenticator.byCookie(secretOf(cookieOf(answer))))?.by.userId).toBe(ADMIN_ID);
  });

  test('[X1] under https the cookie is for this host and TLS alone, and so is the server', async () => {
    const site = { publicUrl: 'https://baton.example' };
    const { authenticator, post, get, cookieOf } = await signInRig({ site });
    const headers = { host: 'baton.example', origin: 'https://baton.example' };
    const answer = await post('/sign-in', { code: await authenticator.startCode() }, headers);
    expect(answer.headers['set-cookie']).toMatch(/^__Host-baton_session=.*; SameSite=Lax; Secure$/);
    expect(answer.headers['strict-transport-security']).toMatch(/^max-age=\d+/);
    expect((await get('/', { cookie: cookieOf(answer) })).statusCode).toBe(200);
    // Set by another site of the same domain, without the prefix.
    const plain = cookieOf(answer).replace('__Host-', '');
    expect((await get('/', { cookie: plain })).statusCode).toBe(303);
  });

  test('[X1] a code is good once; the page says so', async () => {
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

  test('[X1] by a token, also that of the administrator', async () => {
    const { authenticator, people, post, cookieOf } = await signInRig();
    const { id } = await people.user('hanako', 'viewer');
    const { token } = await people.token(id);
    const answer = await post('/sign-in', { token: ` ${token}\n` });
    const by = async (made: typeof answer) =>
      (await authenticator.byCookie(secretOf(cookieOf(made))))?.by;
    expect((await by(answer))?.userId).toBe(id);
    expect((await post('/sign-in', { token: ADMIN_TOKEN })).statusCode).toBe(200);
    // It may do no more than the token.
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
  ])('a form of %j is refused', async (fields) => {
    const { post } = await signInRig();
    expect((await post('/sign-in', fields as Record<string, string>)).statusCode).toBe(400);
  });

  test('bodies of another kind or too large are refused', async () => {
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

  test('[X4] from another site is refused, and uses up nothing', async () => {
    const { authenticator, post } = await signInRig();
    const code = await authenticator.startCode();
    const answer = await post('/sign-in', { code }, { origin: 'http://evil.example' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'origin_refused']);
    expect((await post('/sign-in', { code })).statusCode).toBe(200);
  });

  test('[X4] a cookie brought along is not taken over, and what it was for ends', async () => {
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

  test('[X4] a stolen cookie and a credential of somebody else sign nobody out', async () => {
    const { authenticator, people, post, get, asPage } = await signInRig();
    const victim = asPage(await post('/sign-in', { code: await authenticator.startCode() }));
    const { token } = await people.token((await people.user('taro', 'viewer')).id);
    const { cookie } = victim;
    expect((await post('/sign-in', { token }, { cookie })).statusCode).toBe(200);
    expect((await get('/api/v1/nothing', victim)).statusCode).toBe(404);
  });

  test('[O5] while the database is away the page keeps the code and says so', async () => {
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

  test('[H9] after too many attempts the page keeps the code and says when to come again', async () => {
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

  test('[H9] strangers behind the same address keep no valid code or token from signing in', async () => {
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
    // A code that was used is a stranger's again.
    expect((await post('/sign-in', { code })).statusCode).toBe(429);
  });

  test('[P6] [X4] code, cookie, page key and ticket are in no line of the log', async () => {
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
  test('[X4] comes once, in the answer to a sign-in, which nothing keeps and no one frames', async () => {
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
    // Who has the cookie alone is told so little that a sign-in is needed for another one.
    const again = await post('/sign-in', {}, { cookie });
    expect([again.statusCode, pageKeyIn(again.body)]).toEqual([400, '']);
  });

  test('[X4] a key of another sign-in is none, nor is it without its cookie', async () => {
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

  test('[X4] [H9] the cookie alone uses up nothing of what a user may ask', async () => {
    const { get, post, people, asPage } = await signInRig({ limits: { perUser: 3 } });
    const { token } = await people.token((await people.user('hanako')).id);
    // The sign-in itself counts, like any request with the token.
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

  test('[X4] [H9] pages by the cookie alone are counted by address, apart from everybody else', async () => {
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

  test('[X4] a page without it is shown why one has to sign in again', async () => {
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
  test('[X4] changes need our Origin and the page key; a bad token is judged alone', async () => {
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

  test('[X1] the secret is replaced with an answer after an hour, and both work for a while', async () => {
    let ahead = 0;
    const { post, get, cookieOf, asPage } = await signInRig({
      authenticator: { clock: () => Date.now() + ahead },
    });
    const mine = asPage(await post('/sign-in', { token: ADMIN_TOKEN }));
    const { cookie } = mine;
    expect((await get('/', mine)).headers['set-cookie']).toBeUndefined();
    ahead = HOUR_MS + 1000;
    // Who has the cookie alone must not get its successor, and sign the person out.
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

  test('[X1] signing out ends it, and takes the cookie away', async () => {
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

describe('a path that is not there', () => {
  test('[C2] shows a browser the app, which says so; programs get the error', async () => {
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
    // The cookie alone says nothing of what there is, but to a person.
    for (const path of ['/api/v1/nope', '/sessions', '/metrics', '/ws/nope']) {
      expect([path, (await get(path, { cookie })).statusCode]).toEqual([path, 401]);
    }
    expect((await get('/nope', { cookie, accept: '*/*' })).statusCode).toBe(401);
  });
});

describe('a name that is not ours', () => {
  const host = 'box.tail1234.ts.net:8080';

  test('[X4] a browser is shown what to set, in its language; programs get the error', async () => {
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
      const told = await get('/', { host, ...headers });
      expect([told.statusCode, told.json().error.code]).toEqual([403, 'host_refused']);
    }
    expect((await get('/api/v1/sessions', { host })).json().error.code).toBe('host_refused');
  });

  test('[X4] nothing of the request becomes part of the page, and nothing is loaded', async () => {
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
  test('[X1] a browser is led to the page; everything else is told 401', async () => {
    const { app, get } = await signInRig();
    const status = async (url: string, headers = {}) => {
      const { statusCode, headers: told } = await get(url, headers);
      return [statusCode, told.location];
    };
    expect(await status('/')).toEqual([303, '/sign-in']);
    expect(await status('/docs')).toEqual([303, '/sign-in?next=%2Fdocs']);
    expect(await status('/s/x?event=7')).toEqual([303, '/sign-in?next=%2Fs%2Fx%3Fevent%3D7']);
    expect(await status('/', { accept: '*/*' })).toEqual([401, undefined]);
    expect(await status('/docs', { 'sec-fetch-mode': 'cors' })).toEqual([401, undefined]);
    expect(await status('/', { authorization: 'Bearer wrong' })).toEqual([401, undefined]);
    expect(await status('/api/v1/sessions')).toEqual([401, undefined]);
    // What is there and what is not are answered alike.
    for (const path of ['/api/v1/nothing', '/sessions', '/sessions/x/nothing', '/ws/nothing']) {
      expect([path, await status(path)]).toEqual([path, [401, undefined]]);
    }
    expect(await status('/nothing')).toEqual([303, '/sign-in?next=%2Fnothing']);
    expect(await status('/nothing', { accept: 'application/json' })).toEqual([401, undefined]);
    expect((await app.inject({ method: 'POST', url: '/sign-out', headers: OURS })).statusCode).toBe(
      401,
    );
  });

  test('[X1] the table of pages is what there is', async () => {
    const { app } = await signInRig();
    for (const { method, path, open } of PAGES) {
      const { statusCode } = await app.inject({ method, url: path, headers: OURS });
      // No file of the app has the name in the table; a form without fields is none.
      const found = path.startsWith(ASSETS) ? 404 : method === 'GET' ? 200 : 400;
      expect([method, path, statusCode]).toEqual([method, path, open ? found : 401]);
    }
  });
});
