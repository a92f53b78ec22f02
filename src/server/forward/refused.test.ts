import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../../../test/support/authenticator-rig.ts';
import { forwardRig, type Sent, statusOf } from '../../../test/support/forward-rig.ts';
import { FORWARD_HEADER } from './credential.ts';

test('[X7] a credential that is forged, expired, replayed, or for another node or request is refused', async () => {
  const rig = await forwardRig();
  const [two, other] = [await rig.node('two'), await rig.node('two')];
  const session = rig.session('two');
  const path = `${session}/artefacts/a.txt`;
  const LINE = { method: 'GET', url: path };
  const refused = async (given: Promise<Record<string, string>>, sent: Sent = { path }) =>
    expect(await statusOf(two, await given, sent)).toBe(401);
  const now = await rig.clock.now();
  const valid = await rig.credential(two, LINE);
  expect(await statusOf(two, valid, { path })).toBe(200);
  await refused(Promise.resolve(valid));
  await refused(rig.credential(two, LINE, { signedWith: randomBytes(32) }));
  await refused(rig.credential(two, LINE, { expiresAt: now - 1 }));
  await refused(rig.credential(two, LINE, { expiresAt: now + 60_000 }));
  await refused(rig.credential(other, LINE));
  await refused(rig.credential(two, { ...LINE, method: 'HEAD' }));
  await refused(rig.credential(two, { ...LINE, url: `${rig.session('two')}/artefacts/a.txt` }));
  await refused(rig.credential(two, { ...LINE, url: `${path}?ticket=x` }));
  await refused(rig.credential(two, LINE, { body: 'another' }));
  const added = { ...(await rig.credential(two, LINE)), 'content-length': '2' };
  await refused(Promise.resolve(added), { path, body: '{}' });
  const echoed = { method: 'POST', url: `${session}/echo` };
  const sent = { method: 'POST', path: `${session}/echo`, body: '{"text":"a"}' };
  await refused(rig.credential(two, echoed, { body: '{"text":"b"}' }), sent);
  await refused(rig.credential(two, echoed), sent);
  expect(await statusOf(two, await rig.credential(two, echoed, sent), sent)).toBe(200);
  const reasons = two.log.lines.map(({ reason }) => reason);
  expect(reasons).toEqual([
    'it was used before',
    'it has expired',
    'it is valid for too long',
    'it is for another node, or for an earlier start of this one',
  ]);
});

test('[X7] a caller has the rights of the database, and only as long as their credential is valid', async () => {
  const rig = await forwardRig();
  const two = await rig.node('two');
  const [hanako, taro] = [await rig.people.user('hanako'), await rig.people.user('taro')];
  const { id } = await rig.people.token(hanako.id, { channel: 'cli', through: ['line'] });
  const mine = { userId: hanako.id, credential: `token:${id}`, address: '192.0.2.9' };
  const body = '{"text":"a"}';
  const path = `${rig.session('two')}/echo`;
  const post = async (claim: object) =>
    statusOf(two, await rig.credential(two, { method: 'POST', url: path }, { body, ...claim }), {
      ...{ method: 'POST', path, body },
    });
  expect(await post(mine)).toBe(200);
  expect(two.heard.at(-1)?.by).toEqual({
    ...{ userId: hanako.id, role: 'operator', channel: 'cli', through: ['line'] },
    ...{ scopes: ['read', 'run'], credential: `token:${id}` },
    ...{ address: '192.0.2.9', requestId: 'r' },
  });
  // Claims of more than the credential gives are ignored; other callers are refused.
  expect(await post({ ...mine, role: 'admin', scopes: ['admin'], channel: 'web' })).toBe(200);
  expect(two.heard.at(-1)?.by).toMatchObject({ role: 'operator', scopes: ['read', 'run'] });
  expect(await post({ ...mine, userId: taro.id })).toBe(401);
  expect(await post({ ...mine, userId: 'admin' })).toBe(401);
  expect(await post({ ...mine, credential: 'admin' })).toBe(401);
  for (const credential of ['', 'token:', 'token:unknown', 'code', 'cookie:x']) {
    expect(await post({ ...mine, credential })).toBe(401);
  }
  await rig.store.updateUser(hanako.id, { role: 'viewer' });
  expect(await post(mine)).toBe(403);
  await rig.store.updateUser(hanako.id, { role: 'operator' });
  expect(await post(mine)).toBe(200);
  await rig.store.updateUser(hanako.id, { disabled: true });
  expect(await post(mine)).toBe(401);
  await rig.store.updateUser(hanako.id, { disabled: false });
  await rig.store.revokeToken(id);
  expect(await post(mine)).toBe(401);
});

test('[X7] the header is refused without a valid signature, even beside a token and where none is needed', async () => {
  const rig = await forwardRig();
  const two = await rig.node('two');
  const artefact = `${rig.session('two')}/artefacts/a.txt`;
  for (const path of [artefact, '/api/v1/me', '/healthz', '/sign-in', '/', '/nowhere', '/docs']) {
    for (const value of ['', 'v1.e30.AAAA', 'x'.repeat(4000)]) {
      const headers = { [FORWARD_HEADER]: value, authorization: `Bearer ${ADMIN_TOKEN}` };
      const asPage = { ...headers, accept: 'text/html' };
      expect([await statusOf(two, headers, { path }), path]).toEqual([401, path]);
      expect([await statusOf(two, asPage, { path }), path]).toEqual([401, path]);
    }
  }
  expect(two.log.lines).toEqual([]);
});

test('[X7] a forwarded request reaches only what is host-bound and on this host: there is no second hop', async () => {
  const rig = await forwardRig();
  const [two, three] = [await rig.node('two'), await rig.node('three')];
  for (const url of ['/api/v1/me', '/api/v1/sessions', '/healthz', '/metrics', '/nowhere']) {
    const headers = await rig.credential(two, { method: 'GET', url });
    expect([await statusOf(two, headers, { path: url }), url]).toEqual([421, url]);
  }
  const path = `${rig.session('three')}/artefacts/a.txt`;
  const hop = await rig.credential(two, { method: 'GET', url: path });
  expect(await statusOf(two, hop, { path })).toBe(421);
  expect(three.heard).toEqual([]);

  // The nodes disagree about the host, as they may for a moment when a session is moved.
  const four = await rig.node('four', { hostOf: () => 'five' });
  await rig.node('five', { hostOf: () => 'four' });
  const answer = await four.ask('GET', path);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { code: 'host_away' } });
});

test('[X7] a node that only runs agents answers other nodes, and nobody else', async () => {
  const rig = await forwardRig();
  const [one, worker] = [await rig.node('one'), await rig.node('two', { servesApi: false })];
  const artefact = `${rig.session('two')}/artefacts/a.txt`;
  expect(await (await one.ask('GET', artefact)).text()).toBe('from two');
  for (const path of [artefact, '/api/v1/sessions', '/api/v1/me', '/api/v1/agents']) {
    const answer = await worker.ask('GET', path);
    expect([answer.status, path]).toEqual([404, path]);
    expect(await answer.text()).toContain('does not serve the API');
  }
  expect((await worker.ask('GET', '/healthz')).status).toBe(200);
});
