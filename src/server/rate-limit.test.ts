import { expect, test } from 'vitest';
import { appRig } from '../../test/app-rig.ts';
import type { Principal } from '../access/principal.ts';
import type { BatonError } from '../contract/errors.ts';
import { RateLimiter } from './rate-limit.ts';

const user = (userId: string): Principal => ({ userId, role: 'operator', channel: 'api' });
const admin: Principal = { userId: 'admin', role: 'admin', channel: 'api' };

function limiter(perMinute: number, includeAdmin = true) {
  const clock = { now: 1000 };
  const limit = new RateLimiter({ perMinute, includeAdmin }, () => clock.now);
  /** How long to wait, in seconds; 0 if the request passes. */
  const take = (by: Principal): number => {
    try {
      limit.take(by);
      return 0;
    } catch (error) {
      return ((error as BatonError).details as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  return { clock, take };
}

test('[H9] so many requests pass at once, and then one each time the bucket has it', () => {
  const { clock, take } = limiter(60);
  expect(Array.from({ length: 61 }, () => take(user('a')))).toEqual([...Array(60).fill(0), 1]);
  clock.now += 999;
  expect(take(user('a'))).toBe(1);
  clock.now += 1;
  expect([take(user('a')), take(user('a'))]).toEqual([0, 1]);
});

test('[H9] the wait that is told is long enough, and no more than a second too long', () => {
  const { clock, take } = limiter(7);
  for (let i = 0; i < 7; i++) take(user('a'));
  const wait = take(user('a'));
  clock.now += (wait - 1) * 1000;
  expect(take(user('a'))).toBeGreaterThan(0);
  clock.now += 1000;
  expect(take(user('a'))).toBe(0);
});

test('[H9] one user does not use up what another has', () => {
  const { take } = limiter(1);
  expect([take(user('a')), take(user('b'))]).toEqual([0, 0]);
  expect(take(user('a'))).toBeGreaterThan(0);
});

test('[H9] an admin is limited only where a limit says so', () => {
  const exempt = limiter(1, false);
  const limited = limiter(1, true);
  expect([exempt.take(admin), exempt.take(admin)]).toEqual([0, 0]);
  expect([limited.take(admin), limited.take(admin)]).toEqual([0, 60]);
});

test('[H9] over the limit the answer is 429 with Retry-After; health is still told', async () => {
  const { get } = appRig({ rateLimit: { perMinute: 2, includeAdmin: true } });
  const answers = [await get('/docs'), await get('/docs'), await get('/docs')];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(0);
  expect(answers[2]?.json()).toMatchObject({ error: { code: 'rate_limited', status: 429 } });
  expect((await get('/healthz')).statusCode).toBe(200);
});
