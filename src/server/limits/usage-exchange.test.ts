import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../../test/support/postgres.ts';
import type { Principal } from '../../access/principal.ts';
import { BatonError, isBatonError } from '../../contract/errors.ts';
import { newId } from '../../contract/values/ids.ts';
import { postgresStore } from '../../storage/postgres/store.ts';
import { Fingerprints } from './fingerprints.ts';
import { type LimitSettings, Limits } from './limits.ts';
import { UsageExchange } from './usage-exchange.ts';

const LIMIT = 60;
const hanako: Principal = { userId: 'hanako', role: 'operator', channel: 'api' };
const SETTINGS = { perUser: LIMIT, perAddress: LIMIT, streamsPerUser: 3 };

/** The limits of several nodes that share a database, with a clock that the test moves. */
async function rig(nodes: number, settings: Partial<LimitSettings> = SETTINGS) {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const store = await postgresStore({ url: database.url });
  onTestFinished(() => store.close());
  const clock = { now: 0 };
  const reported: (number | null)[] = [];
  const away = { is: false };

  const node = async () => {
    let id = newId();
    const join = () => store.join({ ...INFO, id }, 60_000);
    await join();
    const limits = new Limits(settings, () => clock.now);
    const failures: boolean[] = [];
    const exchange = new UsageExchange({
      store: {
        exchangeUsage: (nodeId, mine) => {
          reported.push(mine === null ? null : mine.length);
          if (away.is) throw new BatonError('database_unreachable');
          return store.exchangeUsage(nodeId, mine);
        },
      },
      nodeId: () => id,
      limits,
      now: () => clock.now,
      onExchange: (ok) => failures.push(!ok),
    });
    const passes = (count: () => void): boolean => {
      try {
        count();
        return true;
      } catch (error) {
        if (isBatonError(error, 'rate_limited')) return false;
        throw error;
      }
    };
    return {
      limits,
      exchange,
      failures,
      /** How many of these requests pass. */
      ask: (count: number) =>
        Array.from({ length: count }).filter(() => passes(() => limits.user(hanako))).length,
      come: (count: number) =>
        Array.from({ length: count }).filter(() => passes(() => limits.stranger('192.0.2.1')))
          .length,
      leave: () => store.leave(id),
      async rejoin() {
        await store.leave(id);
        id = newId();
        await join();
      },
    };
  };
  const all: Awaited<ReturnType<typeof node>>[] = [];
  for (let i = 0; i < nodes; i++) all.push(await node());
  /** Lets a second pass, then all exchange: those that come first see the others only next time. */
  const second = async (): Promise<void> => {
    clock.now += 1000;
    for (const { exchange } of all) await exchange.exchange();
    for (const { exchange } of all) await exchange.exchange();
  };
  await second();
  return { all, second, clock, reported, away };
}

const INFO = {
  host: 'h',
  bootId: 'b',
  pidNamespace: 'p',
  pid: 1,
  pidStart: '1',
  roles: ['api' as const],
  types: [],
  capacity: 1,
  version: '1',
};

test('[H9] what one node admitted is deducted on the others after an exchange', async () => {
  const { all, second } = await rig(2);
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
  expect([one.ask(40), one.come(60)]).toEqual([40, 60]);
  await second();
  expect([two.ask(100), two.come(100)]).toEqual([20, 0]);
  await second();
  // What the buckets refilled in two seconds, on each node.
  expect([one.ask(100), two.ask(100)]).toEqual([2, 1]);
  await second();
  expect([one.ask(100), two.ask(100)]).toEqual([0, 0]);
});

test('[H9] between exchanges every node may admit a full limit; the excess becomes a debt, and no more', async () => {
  const { all, second, clock } = await rig(3);
  let passed = 0;
  for (const node of all) passed += node.ask(3 * LIMIT);
  expect(passed).toBe(3 * LIMIT);
  // Two limits too many are a debt for two minutes.
  for (let i = 0; i < 13; i++) {
    clock.now += 8000;
    await second();
    for (const node of all) passed += node.ask(10);
  }
  expect(passed).toBe(3 * LIMIT);
  clock.now += 5000;
  expect(all.map((node) => node.ask(1))).toEqual([1, 1, 1]);
});

test('[H9] over a minute, many nodes admit what one node would', async () => {
  const { all, second } = await rig(3);
  let passed = 0;
  for (let i = 0; i < 60; i++) {
    for (const node of all) passed += node.ask(1);
    await second();
  }
  // A full bucket, a minute's refill, and at most a second's refill on each of the other two nodes.
  expect(passed).toBeLessThanOrEqual(LIMIT + LIMIT + 2);
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
}, 60_000);

test('[H9] a node that joins late, or was silent, does not count old usage', async () => {
  const { all, second, clock } = await rig(2);
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
  for (let i = 0; i < 100; i++) {
    one.ask(1);
    clock.now += 1000;
    await one.exchange.exchange();
  }
  await second();
  expect(two.ask(100)).toBe(LIMIT);
});

test('[H9] a node that rejoins is not counted twice', async () => {
  const { all, second } = await rig(2);
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
  one.ask(20);
  await second();
  await one.leave();
  await two.exchange.exchange();
  await one.rejoin();
  await second();
  expect(two.ask(100)).toBe(41);
});

test('[H9] streams count on every node, and only as long as their node lives', async () => {
  const { all, second } = await rig(2);
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
  const leave = one.limits.streams.enter('hanako');
  one.limits.streams.enter('hanako');
  await second();
  expect(two.limits.streams.enter('hanako')).not.toBeNull();
  expect(two.limits.streams.enter('hanako')).toBeNull();
  leave?.();
  await second();
  expect(two.limits.streams.enter('hanako')).not.toBeNull();
  expect(two.limits.streams.enter('hanako')).toBeNull();
  await one.leave();
  await two.exchange.exchange();
  expect(two.limits.streams.enter('hanako')).not.toBeNull();
});

test('[H9] a node with nothing new to report writes nothing, and the next exchange makes up for a failure', async () => {
  const { all, second, reported, away } = await rig(2);
  const [one, two] = all as [(typeof all)[0], (typeof all)[0]];
  reported.length = 0;
  await second();
  expect(reported).toEqual([null, null, null, null]);
  one.ask(30);
  away.is = true;
  await second();
  expect([one.failures.at(-1), two.failures.at(-1)]).toEqual([true, true]);
  away.is = false;
  await second();
  expect(two.ask(100)).toBe(LIMIT - 30);
});

test('[X1] a different admin token on another node is logged once', async () => {
  const key = Buffer.alloc(32, 1);
  const warnings: object[] = [];
  const make = (token: string | null) =>
    new Fingerprints({ BATON_ADMIN_TOKEN: token, BATON_PUBLIC_URL: null }, key, {
      warn: (fields) => warnings.push(fields),
    });
  const [mine, same, other] = [make('a'), make('a'), make('b')];
  mine.compare(same.mine);
  expect(warnings).toEqual([]);
  mine.compare([...same.mine, ...other.mine]);
  mine.compare(other.mine);
  expect(warnings).toEqual([{ setting: 'BATON_ADMIN_TOKEN' }]);
  mine.compare(same.mine);
  mine.compare(other.mine);
  expect(warnings).toHaveLength(2);
  expect(JSON.stringify(mine.mine)).not.toContain('"a"');
});
