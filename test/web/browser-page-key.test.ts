import { expect, test } from 'vitest';
import { PAGE_KEY_HEADER, PAGE_KEY_NAME } from '../../src/contract/page-key.ts';
import { TOKEN } from '../support/server-rig.ts';
import { browser } from './browser.ts';
import { secretOf, siteOf, type Visitor } from './browser-rig.ts';
import { ask, UPGRADE } from './by-hand.ts';
import { conversationRig } from './web-conversation-rig.ts';

/* The page key, as pages use it in a real Chromium. */

const chromium = browser();

const keyOf = ({ page }: Visitor): Promise<string | null> =>
  page.evaluate((name) => localStorage.getItem(name), PAGE_KEY_NAME);

const settings = async ({ page }: Visitor): Promise<void> =>
  page.getByRole('button', { name: 'Sign out' }).waitFor();

test('[X4] every request of the page carries its key, every WebSocket a single-use ticket', {
  timeout: 60_000,
}, async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const { id } = await site.server.session('mine');
  const visitor = await site.signedIn();
  const { page, context } = visitor;
  const requests: { url: string; key: string | undefined }[] = [];
  const sockets: string[] = [];
  context.on('request', (request) => {
    if (request.url().includes('/api/'))
      requests.push({ url: request.url(), key: request.headers()[PAGE_KEY_HEADER] });
  });
  const opened = Promise.withResolvers<void>();
  page.on('websocket', (socket) => {
    sockets.push(socket.url());
    if (socket.url().includes(`/ws/sessions/${id}`))
      socket.on('framereceived', () => opened.resolve());
  });
  await page.goto(`${url}/s/${id}`);
  await opened.promise;
  const key = await keyOf(visitor);
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(requests.length).toBeGreaterThan(3);
  expect(requests.filter((each) => each.key !== key)).toEqual([]);
  const addresses = [...requests.map((each) => each.url), ...sockets, page.url()];
  expect(addresses.filter((each) => each.includes(String(key)))).toEqual([]);
  expect(sockets.length).toBeGreaterThanOrEqual(2);
  const cookie = `baton_session=${await secretOf(visitor)}`;
  for (const socket of sockets) {
    expect(socket).toMatch(/[?&]ticket=[\w-]{43}/);
    const replay = await ask(socket.replace('ws://', 'http://'), 'GET', {
      ...UPGRADE,
      cookie,
      origin: url,
    });
    expect(replay.status).toBe(401);
  }
});

test('[X4] a page with the cookie but no key leads to the sign-in page, which says why and returns', {
  timeout: 60_000,
}, async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const visitor = await site.signedIn();
  const { page } = visitor;
  await page.getByRole('link', { name: 'New session' }).first().waitFor();
  const before = await secretOf(visitor);
  await page.evaluate((name) => localStorage.removeItem(name), PAGE_KEY_NAME);
  await page.goto(`${url}/settings/profile`);
  await page.waitForURL(`${url}/sign-in?without=key&next=%2Fsettings%2Fprofile`);
  expect(await page.getByRole('alert').textContent()).toContain('not the matching key');
  await page.getByLabel('Token').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/settings/profile`);
  await settings(visitor);
  expect(await secretOf(visitor)).not.toBe(before);
});

test('[X4] tabs share the key: signing in again in one tab updates the others', {
  timeout: 60_000,
}, async () => {
  const site = await siteOf(chromium());
  const { url } = site.server;
  const visitor = await site.signedIn();
  const { page, context } = visitor;
  await page.goto(`${url}/settings/profile`);
  await settings(visitor);
  const other = await context.newPage();
  await other.goto(`${url}/settings/tokens`);
  await other.getByRole('button', { name: 'New token' }).waitFor();
  const key = await keyOf(visitor);
  await page.goto(`${url}/sign-in?code=${await site.code()}`);
  // For a moment, other tabs have the new cookie and still the old key.
  await page.waitForURL(`${url}/`);
  expect(await keyOf(visitor)).not.toBe(key);
  const read = other.waitForResponse((answer) => answer.url().includes('/api/v1/audit'));
  await other.getByRole('link', { name: 'Audit log' }).click();
  expect((await read).status()).toBe(200);
  expect(await other.getByRole('dialog').count()).toBe(0);
  // Signing out in one tab signs out all and removes the key.
  await other.goto(`${url}/settings/profile`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.waitForURL(`${url}/sign-in`);
  expect([await secretOf(visitor), await keyOf({ context, page: other })]).toEqual([
    undefined,
    null,
  ]);
  await page.getByRole('dialog', { name: 'You were signed out.' }).waitFor();
});

test('[X4] a message from a tab with the old key is sent with the new one', {
  timeout: 60_000,
}, async () => {
  const { server, context, open } = await conversationRig(chromium());
  const { url } = server;
  const talk = await open(await server.session('mine'));
  const { code } = await server.call<{ code: string }>('POST', '/api/v1/users/admin/sign-in-link');
  // Another tab signs in, paused between the new cookie and the new key.
  const other = await context.newPage();
  const [hasCookie, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await other.route(`${url}/sign-in`, async (route) => {
    const response = await route.fetch();
    hasCookie.resolve();
    await goOn.promise;
    await route.fulfill({ response });
  });
  // The form is submitted before the page has loaded.
  await other.goto(`${url}/sign-in?code=${code}`, { waitUntil: 'commit' });
  await hasCookie.promise;
  const statuses: number[] = [];
  await talk.page.route('**/messages', async (route) => {
    const response = await route.fetch();
    statuses.push(response.status());
    if (statuses.length === 1) {
      goOn.resolve();
      await other.waitForURL(`${url}/`);
    }
    await route.fulfill({ response });
  });
  await talk.say('echo once');
  await talk.log.locator('pre', { hasText: /^once\n$/ }).waitFor();
  expect(statuses).toEqual([401, 202]);
  // Its streams may have opened the dialog while they waited for the key; it closes again.
  await talk.page.getByRole('dialog').waitFor({ state: 'detached' });
});
