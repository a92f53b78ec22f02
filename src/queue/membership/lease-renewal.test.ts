import { Worker as Thread } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../../test/support/until.ts';
import {
  keepInProcess,
  monotonicMs,
  SharedLease,
  shouldRenew,
  startRenewing,
} from './lease-renewal.ts';

const options = { leaseMs: 1000, renewMs: 10, stallMs: 60_000 };

test('[Q6] trust counts from when the renewal was sent, and ends before the lease', () => {
  const lease = new SharedLease({ leaseMs: 1000, sentAt: monotonicMs() - 500 });
  expect(lease.remainingMs()).toBeGreaterThan(0);
  expect(lease.remainingMs()).toBeLessThanOrEqual(400);
  lease.renewed(monotonicMs() - 1000, 1000);
  expect(lease.remainingMs()).toBeLessThan(0);
});

test('[Q6] the time that a renewal takes is not trusted', async () => {
  const lease = new SharedLease({ leaseMs: 1000 });
  const sent = Promise.withResolvers<void>();
  const response = Promise.withResolvers<boolean>();
  const stop = startRenewing(lease, options, () => {
    sent.resolve();
    return response.promise;
  });
  await sent.promise;
  const { bigint } = process.hrtime;
  const later = vi
    .spyOn(process.hrtime, 'bigint')
    .mockImplementation(() => bigint() + 600_000_000n);
  onTestFinished(() => later.mockRestore());
  response.resolve(true);
  await stop();
  expect(lease.remainingMs()).toBeLessThanOrEqual(300);
});

test('both sides see the same lease, and a lost one stays lost', () => {
  const lease = new SharedLease({ leaseMs: 1000 });
  const other = new SharedLease(lease.buffer);
  expect(other.remainingMs()).toBeGreaterThan(0);
  other.lose();
  other.renewed(monotonicMs(), 1000);
  expect(lease.lost()).toBe(true);
  expect(lease.remainingMs()).toBe(0);
});

test('[Q6] a main thread blocked for 20 s keeps its lease, one silent for over a minute does not', () => {
  expect(shouldRenew(0, 60_000)).toBe(true);
  expect(shouldRenew(20_000, 60_000)).toBe(true);
  expect(shouldRenew(60_001, 60_000)).toBe(false);
});

test('renews regularly, and continues after a failure', async () => {
  let calls = 0;
  const keeper = keepInProcess(options, async () => {
    if (++calls % 2 === 0) throw new Error('away');
    return true;
  });
  await until(() => calls >= 6);
  expect(keeper.lost()).toBe(false);
  expect(keeper.remainingMs()).toBeGreaterThan(0);
  await keeper.stop();
  await keeper.stop();
});

test('stops renewing once the store reports that the lease is gone', async () => {
  let calls = 0;
  const keeper = keepInProcess(options, () => {
    calls++;
    return false;
  });
  await until(() => keeper.lost());
  expect(keeper.remainingMs()).toBe(0);
  await keeper.stop();
  expect(calls).toBe(1);
});

test('[Q6] a renewing thread that starts late renews immediately', async () => {
  const lease = new SharedLease({ leaseMs: 60_000 });
  let calls = 0;
  const late = {
    leaseMs: 60_000,
    renewMs: 20_000,
    stallMs: 60_000,
    sentAt: monotonicMs() - 20_000,
  };
  const stop = startRenewing(lease, late, () => ++calls > 0);
  await until(() => calls === 1);
  await stop();
});

test('the lease of a hung main thread is not renewed until it sends a heartbeat again', async () => {
  const lease = new SharedLease({ leaseMs: 1000 });
  let calls = 0;
  const stop = startRenewing(lease, { ...options, stallMs: 50 }, () => ++calls > 0);
  await until(() => lease.beatAgeMs() > 60);
  const silent = calls;
  await until(() => lease.beatAgeMs() > 100);
  expect(calls).toBe(silent);
  lease.beat();
  await until(() => calls > silent);
  await stop();
});

test('[Q6] a thread keeps the lease while the main thread is blocked', async () => {
  const lease = new SharedLease({ leaseMs: 300 });
  const module = JSON.stringify(new URL('./lease-renewal.ts', import.meta.url).href);
  const thread = new Thread(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(${module}).then(({ SharedLease, startRenewing }) => {
       const lease = new SharedLease(workerData.buffer);
       const stop = startRenewing(lease, workerData.options, () => true);
       parentPort.once('message', () => stop());
       parentPort.postMessage('ready');
     });`,
    { eval: true, workerData: { buffer: lease.buffer, options: { ...options, leaseMs: 300 } } },
  );
  await new Promise((resolve) => thread.once('message', resolve));
  const blockedUntil = performance.now() + 600;
  while (performance.now() < blockedUntil);
  expect(lease.remainingMs()).toBeGreaterThan(0);
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage('stop');
  await ended;
});
