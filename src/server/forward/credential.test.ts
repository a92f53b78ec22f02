import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Claim, forwardKeyOf, openCredential, sign } from './credential.ts';
import { DatabaseClock } from './database-clock.ts';
import { UsedNumbers } from './used-numbers.ts';

const SECRET = randomBytes(32);
const KEY = forwardKeyOf(SECRET);
const LINE = { method: 'GET', url: '/api/v1/sessions/s/artefacts/a.txt?x=1' };
const CLAIM: Claim = {
  ...{ node: 'n', userId: 'u', credential: 'token:t', address: '::1', requestId: 'r' },
  ...{ body: 'b', expiresAt: 1, number: 'a number that is used once' },
};

test('[X7] a credential opens with the same key, method, path and query, and with no other', () => {
  const text = sign(KEY, CLAIM, LINE);
  expect(openCredential(KEY, text, LINE)).toEqual(CLAIM);
  expect(KEY.equals(SECRET)).toBe(false);
  const others = [
    openCredential(forwardKeyOf(randomBytes(32)), text, LINE),
    openCredential(SECRET, text, LINE),
    openCredential(KEY, text, { ...LINE, method: 'HEAD' }),
    openCredential(KEY, text, { ...LINE, url: `${LINE.url}&y=2` }),
    openCredential(KEY, text, { ...LINE, url: LINE.url.replace('/s/', '/t/') }),
    openCredential(KEY, sign(KEY, { ...CLAIM, number: '' }, LINE), LINE),
  ];
  expect(others).toEqual(others.map(() => null));
});

test('[X7] a credential that was changed anywhere is refused', () => {
  const text = sign(KEY, CLAIM, LINE);
  const [version, payload = '', mac] = text.split('.');
  const other = Buffer.from(JSON.stringify({ ...CLAIM, userId: 'admin' })).toString('base64url');
  const changed = ['', 'v1', 'v1..', `v2.${payload}.${mac}`, `${version}.${other}.${mac}`];
  for (const each of [...changed, `${text}.x`, `${version}.${payload}.`, text.slice(0, -2)]) {
    expect(openCredential(KEY, each, LINE)).toBeNull();
  }
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...'Aa0-.'), (at, by) => {
      const one = text.slice(0, at) + by + text.slice(at + 1);
      const claim = openCredential(KEY, one, LINE);
      // The last digit of base64 may have bits that mean nothing.
      if (claim !== null) expect(claim).toEqual(CLAIM);
    }),
  );
});

test('[X7] a number is used once, remembered until its credential has expired, and bounded', () => {
  const used = new UsedNumbers(3);
  expect(used.use('a', 1000, 0)).toBe(true);
  expect(used.use('a', 1000, 999)).toBe(false);
  expect(used.use('b', 20_000, 0)).toBe(true);
  expect(used.use('c', 20_000, 0)).toBe(true);
  expect(used.use('d', 20_000, 0)).toBe(false);
  // The estimate of the time may have been too late by a moment.
  expect(used.use('a', 1000, 1001)).toBe(false);
  expect(used.use('d', 20_000, 10_000)).toBe(true);
  expect(used.size).toBe(3);
});

test('[X7] the clock is the database’s: read rarely, together, and again after a jump', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  try {
    let offset = 3_600_000;
    const start = Date.now();
    const read = vi.fn(async () => Date.now() + offset);
    const clock = new DatabaseClock(read);
    await Promise.all([clock.now(), clock.now()]);
    expect(await clock.now()).toBe(start + offset);
    vi.advanceTimersByTime(9000);
    expect(await clock.now()).toBe(start + 9000 + offset);
    expect(read).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2000);
    await clock.now();
    expect(read).toHaveBeenCalledTimes(2);
    // The wall clock of this machine was set back by an hour; the database's was not.
    vi.setSystemTime(Date.now() - 3_600_000);
    offset += 3_600_000;
    expect(await clock.now()).toBe(start + 11_000 + 3_600_000);
    expect(read).toHaveBeenCalledTimes(3);
  } finally {
    vi.useRealTimers();
  }
});
