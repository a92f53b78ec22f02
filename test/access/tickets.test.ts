import { expect, test } from 'vitest';
import { PAGE_KEY_HEADER } from '../../src/contract/page-key.ts';
import { Cluster } from '../cluster/cluster-rig.ts';
import { Server } from '../support/server-rig.ts';
import { ask, signInByHand, ticketByHand, UPGRADE } from '../web/by-hand.ts';

/* Where a page cannot send a header, it uses a ticket: for WebSockets and downloads. */

const open = (url: string, cookie: string, path: string, ticket: string) =>
  ask(`${url}${path}?ticket=${ticket}`, 'GET', { ...UPGRADE, cookie, origin: url });

test('[X4] a ticket opens one WebSocket, for its own browser and path', async () => {
  const { url } = await Server.start();
  const [mine, other] = [await signInByHand(url), await signInByHand(url)];
  const path = '/ws/events';
  const ticket = await ticketByHand(url, mine, path);
  expect((await open(url, mine.cookie, path, ticket)).status).toBe(101);
  expect((await open(url, mine.cookie, path, ticket)).status).toBe(401);
  const foreign = await ticketByHand(url, mine, path);
  expect((await open(url, other.cookie, path, foreign)).status).toBe(401);
  // A ticket is used up even by the wrong browser.
  expect((await open(url, mine.cookie, path, foreign)).status).toBe(401);
  const elsewhere = await ticketByHand(url, mine, '/ws/sessions/x');
  expect((await open(url, mine.cookie, path, elsewhere)).status).toBe(401);
  const unsaid = await ticketByHand(url, mine, path);
  const asked = `${url}${path}?ticket=${unsaid}`;
  expect((await ask(asked, 'GET', { ...UPGRADE, cookie: mine.cookie })).status).toBe(403);
  expect((await ask(asked, 'GET', { ...UPGRADE, origin: url })).status).toBe(401);
  // Neither request has used it up.
  expect((await open(url, mine.cookie, path, unsaid)).status).toBe(101);
  const late = await ticketByHand(url, mine, path);
  await ask(`${url}/sign-out`, 'POST', {
    cookie: mine.cookie,
    origin: url,
    [PAGE_KEY_HEADER]: mine.pageKey,
  });
  expect((await open(url, mine.cookie, path, late)).status).toBe(401);
}, 60_000);

test('[X4] a link saves an export once, and opens nothing else', async () => {
  const server = await Server.start();
  const { url } = server;
  const { id } = await server.session('mine');
  const mine = await signInByHand(url);
  const { cookie } = mine;
  const get = async (path: string) => (await ask(`${url}${path}`, 'GET', { cookie })).status;
  const exported = `/api/v1/sessions/${id}/export`;
  const link = `${exported}?ticket=${await ticketByHand(url, mine, exported)}`;
  const answer = await ask(`${url}${link}`, 'GET', { cookie });
  expect([answer.status, JSON.parse(answer.text.split('\n')[0] ?? '')]).toMatchObject([
    200,
    { session: { name: 'mine' } },
  ]);
  expect(await get(link)).toBe(401);
  // A ticket does not open operations that are not downloads.
  const session = `/api/v1/sessions/${id}`;
  expect(await get(`${session}?ticket=${await ticketByHand(url, mine, session)}`)).toBe(401);
  const audit = '/api/v1/audit/export';
  expect(await get(`${audit}?ticket=${await ticketByHand(url, mine, exported)}`)).toBe(401);
  const filtered = `${audit}?action=session.create&ticket=${await ticketByHand(url, mine, audit)}`;
  expect(await get(filtered)).toBe(200);
}, 60_000);

test('[X4] cookie, page key and tickets work on every node, and a ticket works once in the cluster', async () => {
  const cluster = await Cluster.create();
  const [one, two] = await cluster.apis();
  const mine = await signInByHand(one.url);
  const { cookie, pageKey } = mine;
  const me = (url: string, headers: Record<string, string>) =>
    ask(`${url}/api/v1/me`, 'GET', { cookie, ...headers });
  expect((await me(two.url, { [PAGE_KEY_HEADER]: pageKey })).status).toBe(200);
  expect((await me(two.url, {})).status).toBe(401);
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const) {
    const ticket = await ticketByHand(from.url, mine, '/ws/events');
    const tries = [to, from, to].map(({ url }) => open(url, cookie, '/ws/events', ticket));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([101, 401, 401]);
  }
}, 120_000);
