import { expect, test } from 'vitest';
import { appRig, TOKEN } from '../../test/support/app-rig.ts';
import { endpointList } from '../contract/api/endpoints.ts';
import { adminToken } from './request-authenticator.ts';

const where = { address: '127.0.0.1', requestId: 'one' };
const authenticate = (authorization?: string) =>
  adminToken(TOKEN).authenticate({
    ...where,
    method: 'GET',
    headers: authorization === undefined ? {} : { authorization },
  });

test('[X1] the admin token identifies the admin, on the channel of the credential', async () => {
  const by = { userId: 'admin', role: 'admin', channel: 'api', credential: 'admin', ...where };
  expect(await authenticate(`Bearer ${TOKEN}`)).toEqual({ by, due: null, shown: 'credential' });
  expect(await authenticate(`bearer   ${TOKEN}`)).toEqual({ by, due: null, shown: 'credential' });
});

test.each([
  undefined,
  '',
  TOKEN,
  'Bearer',
  'Bearer ',
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(0, -1)}`,
  `Bearer ${TOKEN.toUpperCase()}`,
  `Bearer ${TOKEN} x`,
  `Basic ${TOKEN}`,
  `Bearer ${'x'.repeat(100_000)}`,
])('[X1] %s is not a valid credential', async (authorization) => {
  expect(await authenticate(authorization)).toBeNull();
});

test('[X1] only open operations answer a stranger', async () => {
  const { app } = appRig();
  for (const [name, { method, path, open }] of endpointList) {
    const { statusCode } = await app.inject({ method, url: path });
    expect([name, statusCode === 401]).toEqual([name, !open]);
  }
});

test('[X1] a stranger is refused before the request is read', async () => {
  const { app } = appRig();
  const answer = await app.inject({
    method: 'POST',
    url: '/api/v1/sessions?a=1&a=1',
    headers: { 'content-type': 'text/plain' },
    payload: 'x'.repeat(2_000_000),
  });
  expect(answer.statusCode).toBe(401);
});
