import { type Duplex, PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { appRig, TOKEN } from '../../../test/support/app-rig.ts';
import type { Principal } from '../../access/principal.ts';
import type { BatonError } from '../../contract/errors.ts';
import { type Authenticated, adminToken } from '../request-authenticator.ts';
import { type LimitSettings, Limits } from './limits.ts';
import { withRequestLimits } from './request-limits.ts';

const user = (userId: string): Principal => ({ userId, role: 'operator', channel: 'api' });
const admin: Principal = { userId: 'admin', role: 'admin', channel: 'api' };

function rig(settings: Partial<LimitSettings>) {
  const clock = { now: 1000 };
  const limits = new Limits({ includeAdmin: true, ...settings }, () => clock.now);
  /** How long to wait, in seconds; 0 if it passes. */
  const waitOf = (count: () => void): number => {
    try {
      count();
      return 0;
    } catch (error) {
      return ((error as BatonError).details as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  return {
    clock,
    limits,
    take: (by: Principal) => waitOf(() => limits.user(by)),
    come: (address: string) => waitOf(() => limits.stranger(address)),
  };
}

test('[H9] a burst up to the limit passes, and then one request whenever the bucket has refilled', () => {
  const { clock, take } = rig({ perUser: 60 });
  expect(Array.from({ length: 61 }, () => take(user('a')))).toEqual([...Array(60).fill(0), 1]);
  clock.now += 999;
  expect(take(user('a'))).toBe(1);
  clock.now += 1;
  expect([take(user('a')), take(user('a'))]).toEqual([0, 1]);
});

test('[H9] the returned wait is long enough, and at most a second too long', () => {
  const { clock, take } = rig({ perUser: 7 });
  for (let i = 0; i < 7; i++) take(user('a'));
  const wait = take(user('a'));
  clock.now += (wait - 1) * 1000;
  expect(take(user('a'))).toBeGreaterThan(0);
  clock.now += 1000;
  expect(take(user('a'))).toBe(0);
});

test('[H9] users do not use up each other’s limits', () => {
  const { take } = rig({ perUser: 1 });
  expect([take(user('a')), take(user('b'))]).toEqual([0, 0]);
  expect(take(user('a'))).toBeGreaterThan(0);
});

test('[H9] an admin is limited only if the settings say so', () => {
  const exempt = rig({ perUser: 1, includeAdmin: false });
  const also = rig({ perUser: 1 });
  expect([exempt.take(admin), exempt.take(admin)]).toEqual([0, 0]);
  expect([also.take(admin), also.take(admin)]).toEqual([0, 60]);
});

test('[H9] a token of an admin without the scope admin is limited like any other', () => {
  const { take } = rig({ perUser: 1, includeAdmin: false });
  const readOnly: Principal = { ...admin, scopes: ['read'] };
  expect([take(readOnly), take(readOnly)]).toEqual([0, 60]);
  expect(take({ ...admin, scopes: ['read', 'admin'] })).toBe(0);
});

test('[H9] strangers are counted by address, IPv6 addresses by their /64', () => {
  const { come } = rig({ perAddress: 1 });
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.1'].map(come)).toEqual([0, 0, 60]);
  expect(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map(come)).toEqual([0, 60, 0]);
});

/** The app, with the same limits as in a node. */
function app(settings: Partial<LimitSettings>) {
  const limits = new Limits({ includeAdmin: true, ...settings });
  return appRig({ auth: withRequestLimits(adminToken(TOKEN), limits) });
}

test('[H9] over the limit the answer is 429 with Retry-After; /healthz still answers', async () => {
  const { get } = app({ perUser: 2 });
  const answers = [await get('/docs'), await get('/docs'), await get('/docs')];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  expect(answers[2]?.headers['retry-after']).toBe('30');
  expect(answers[2]?.json()).toMatchObject({ error: { code: 'rate_limited', status: 429 } });
  expect((await get('/healthz')).statusCode).toBe(200);
});

test('[H9] strangers over the limit are refused; a valid credential is not, whatever its address', async () => {
  const { ask, get } = app({ perAddress: 2 });
  const stranger = () =>
    ask({ method: 'GET', url: '/docs', headers: { authorization: 'Bearer no' } });
  const answers = [await stranger(), await stranger(), await stranger()];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 429]);
  expect(answers[2]?.headers['retry-after']).toBe('30');
  expect((await get('/docs')).statusCode).toBe(200);
});

test('[H9] [X4] a token, the page key or a ticket makes a connection a user’s; the cookie alone does not', async () => {
  const by = user('a');
  const admitted: Duplex[] = [];
  const admits = async (shown: Authenticated['shown']): Promise<boolean> => {
    const auth = { ...adminToken(TOKEN), authenticate: async () => ({ by, due: null, shown }) };
    const socket = new PassThrough();
    const connections = { admit: (one: Duplex) => void admitted.push(one) };
    await withRequestLimits(auth, new Limits(), connections).authenticate({
      method: 'GET',
      headers: {},
      address: '192.0.2.1',
      requestId: 'one',
      socket,
    });
    return admitted.includes(socket);
  };
  expect(await admits('credential')).toBe(true);
  expect(await admits('ticket')).toBe(true);
  expect(await admits('cookie')).toBe(false);
});
