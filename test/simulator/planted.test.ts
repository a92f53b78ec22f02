import { expect, test, vi } from 'vitest';
import {
  capCountedBeforeTheLock,
  fenceIgnoredOnFinish,
  orderByRunId,
  stopIgnoredByClaims,
  withQueuesByRunId,
} from './mutants.ts';
import { type Failure, search } from './search.ts';
import { shrink } from './shrink.ts';
import { inMemory, type StoreMaker } from './sim-store.ts';
import { play } from './simulate.ts';
import { sqliteMaker } from './sqlite-store.ts';
import { makeStory } from './story.ts';

// A search must not time out on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const STEPS = 120;
const find = (maker: StoreMaker, invariant?: string): Promise<Failure | null> =>
  search({
    from: 1,
    count: 10_000,
    steps: STEPS,
    maker,
    ...(invariant === undefined ? {} : { invariant }),
  });

/** The invariant that breaks when two workers both see room under a cap. */
const CAPS = 'executing ≤ caps';

test.each([
  ['memory', inMemory],
  ['SQLite', sqliteMaker()],
])('[Q6] a finish that ignores its fence is detected (%s)', async (_, maker) => {
  const failure = await find(fenceIgnoredOnFinish(maker), 'an outdated fence is refused');
  expect(failure?.seed).toBeLessThan(10_000);
});

test('[Q1] ordering by run id is detected (memory)', async () => {
  const failure = await withQueuesByRunId((maker) => find(maker));
  expect(failure?.result.broken?.invariant).toMatch(/in order/);
});

test('[Q1] ordering by run id is detected (SQLite)', async () => {
  const failure = await find(sqliteMaker(orderByRunId));
  expect(failure?.result.broken?.invariant).toMatch(/in order/);
});

test.each([
  ['memory', inMemory],
  ['SQLite', sqliteMaker()],
])('[Q2] a cap counted before the lock is detected (%s)', async (_, maker) => {
  const failure = await find(capCountedBeforeTheLock(maker), CAPS);
  expect(failure?.seed).toBeLessThan(10_000);
});

test('[Q9] a claim during a stop is detected', async () => {
  const failure = await find(stopIgnoredByClaims(inMemory));
  expect(failure?.result.broken?.invariant).toBe('nothing is claimed during a stop');
});

/** Smaller bugs, each a change of one statement. */
test.each([
  ['[Q1] a repeated write is applied again', 'last_write = $16', 'last_write = 0 * $16'],
  ['[Q3] a run joins before it is due', 'run_at <= $1', 'run_at <= $1 + 1000'],
  ['[Q4] the owners do not take turns', 'DO UPDATE SET owner = excluded.owner', 'DO NOTHING'],
  ['[Q19] a count omits one state', 'WHERE state = $1', "WHERE state = $1 AND state <> 'dead'"],
])('%s: detected', async (_, from, to) => {
  const failure = await find(sqliteMaker((text) => text.replace(from, to)));
  expect(failure?.seed).toBeLessThan(300);
});

test('[Q6] a lease counts as expired too early: detected', async () => {
  // In the search for expired leases, and in the takeover that checks again.
  const early = (text: string) =>
    text
      .replace('lease_until <= $1', 'lease_until <= $1 + 29000')
      .replace('SELECT lease_until FROM', 'SELECT lease_until - 29000 AS lease_until FROM');
  const failure = await find(sqliteMaker(early));
  expect(failure?.seed).toBeLessThan(300);
});

test('a failing story is shortened to one that breaks the same invariant and can be replayed', async () => {
  const maker = capCountedBeforeTheLock(inMemory);
  const failure = await find(maker, CAPS);
  const story = makeStory(failure?.seed ?? 0, STEPS);
  const short = await shrink(story, CAPS, maker);
  expect(short.steps.length).toBeLessThan(15);
  const first = await play(short, maker);
  expect(first.broken?.invariant).toBe(CAPS);
  expect((await play(short, maker)).hash).toBe(first.hash);
});
