import { expect, test } from 'vitest';
import {
  capCountedBeforeTheLock,
  fenceIgnoredOnFinish,
  orderByRunId,
  withQueuesByRunId,
} from './mutants.ts';
import { type Found, search } from './search.ts';
import { shrink } from './shrink.ts';
import { inMemory, type StoreMaker } from './sim-store.ts';
import { play } from './simulate.ts';
import { sqliteMaker } from './sqlite-store.ts';
import { makeStory } from './story.ts';

const STEPS = 120;
const find = (maker: StoreMaker): Promise<Found | null> =>
  search({ from: 1, count: 10_000, steps: STEPS, maker });

test.each([
  ['memory', inMemory],
  ['SQLite', sqliteMaker()],
])('[Q6] a finish that ignores its fence is found (%s)', async (_, maker) => {
  const found = await find(fenceIgnoredOnFinish(maker));
  expect(found?.told.broken?.invariant).toMatch(/stale fence/);
});

test('[Q1] an order by run id over all lanes is found (memory)', async () => {
  const found = await withQueuesByRunId(find);
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
  const found = await find(capCountedBeforeTheLock(maker));
  expect(found?.told.broken?.invariant).toBe('executing ≤ caps');
});

test('a failing story is shortened to one that breaks the same and replays', async () => {
  const maker = capCountedBeforeTheLock(inMemory);
  const found = (await find(maker)) as Found;
  const invariant = found.told.broken?.invariant ?? '';
  const short = await shrink(makeStory(found.seed, STEPS), invariant, maker);
  expect(short.steps.length).toBeLessThan(15);
  const first = await play(short, maker);
  expect(first.broken?.invariant).toBe(invariant);
  expect(await play(short, maker)).toEqual(first);
});
