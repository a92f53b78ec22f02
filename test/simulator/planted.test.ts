import { expect, test, vi } from 'vitest';
import {
  capCountedBeforeTheLock,
  fenceIgnoredOnFinish,
  orderByRunId,
  stopIgnoredByClaims,
  withQueuesByRunId,
} from './mutants.ts';
import { type Found, search } from './search.ts';
import { shrink } from './shrink.ts';
import { inMemory, type StoreMaker } from './sim-store.ts';
import { play } from './simulate.ts';
import { sqliteMaker } from './sqlite-store.ts';
import { makeStory } from './story.ts';

// A search takes as long as it takes; a busy machine must not end it.
vi.setConfig({ testTimeout: 120_000 });

const STEPS = 120;
const find = (maker: StoreMaker, invariant?: string): Promise<Found | null> =>
  search({
    from: 1,
    count: 10_000,
    steps: STEPS,
    maker,
    ...(invariant === undefined ? {} : { invariant }),
  });

/** What the checker says when two workers both find room under a cap. */
const CAPS = 'executing ≤ caps';

test.each([
  ['memory', inMemory],
  ['SQLite', sqliteMaker()],
])('[Q6] a finish that ignores its fence is found (%s)', async (_, maker) => {
  const found = await find(fenceIgnoredOnFinish(maker), 'a stale fence is told so');
  expect(found?.seed).toBeLessThan(10_000);
});

test('[Q1] an order by run id over all lanes is found (memory)', async () => {
  const found = await withQueuesByRunId((maker) => find(maker));
  expect(found?.told.broken?.invariant).toMatch(/in order/);
});

test('[Q1] an order by run id over all lanes is found (SQLite)', async () => {
  const found = await find(sqliteMaker(orderByRunId));
  expect(found?.told.broken?.invariant).toMatch(/in order/);
});

test.each([
  ['memory', inMemory],
  ['SQLite', sqliteMaker()],
])('[Q2] a cap counted before the lock is found (%s)', async (_, maker) => {
  const found = await find(capCountedBeforeTheLock(maker), CAPS);
  expect(found?.seed).toBeLessThan(10_000);
});

test('[Q9] a claim while everything is stopped is found', async () => {
  const found = await find(stopIgnoredByClaims(inMemory));
  expect(found?.told.broken?.invariant).toBe('nothing is claimed while everything is stopped');
});

/** Smaller bugs, each by another text of one statement. */
test.each([
  ['[Q1] a write that comes again is done again', 'last_write = $16', 'last_write = 0 * $16'],
  ['[Q3] a run joins before its time', 'run_at <= $1', 'run_at <= $1 + 1000'],
  [
    '[Q4] the turn of the owners stands still',
    'DO UPDATE SET owner = excluded.owner',
    'DO NOTHING',
  ],
  ['[Q19] a count forgets one state', 'WHERE state = $1', "WHERE state = $1 AND state <> 'dead'"],
])('%s: found', async (_, from, to) => {
  const found = await find(sqliteMaker((text) => text.replace(from, to)));
  expect(found?.seed).toBeLessThan(300);
});

test('[Q6] a lease is taken for ended too early: found', async () => {
  // By whoever looks for ended leases, and by the take-over that looks again.
  const early = (text: string) =>
    text
      .replace('lease_until <= $1', 'lease_until <= $1 + 29000')
      .replace('SELECT lease_until FROM', 'SELECT lease_until - 29000 AS lease_until FROM');
  const found = await find(sqliteMaker(early));
  expect(found?.seed).toBeLessThan(300);
});

test('a failing story is shortened to one that breaks the same, and replays', async () => {
  const maker = capCountedBeforeTheLock(inMemory);
  const found = await find(maker, CAPS);
  const story = makeStory(found?.seed ?? 0, STEPS);
  const short = await shrink(story, CAPS, maker);
  expect(short.steps.length).toBeLessThan(15);
  const first = await play(short, maker);
  expect(first.broken?.invariant).toBe(CAPS);
  expect((await play(short, maker)).hash).toBe(first.hash);
});
