import { expect, test } from 'vitest';
import { DEPTH } from '../support/depth.ts';
import { search } from './search.ts';
import { inMemory } from './sim-store.ts';
import { play } from './simulate.ts';
import { sqliteMaker } from './sqlite-store.ts';
import { makeStory } from './story.ts';

test('[Q22] 600 stories of crashes, lost answers and pauses break nothing in memory', async () => {
  const failure = await search({ from: 1, count: 600 * DEPTH, steps: 70, maker: inMemory });
  expect(failure).toBeNull();
}, 300_000);

test('[Q22] 60 stories with faults at each statement break nothing on SQLite', async () => {
  const failure = await search({ from: 1, count: 60 * DEPTH, steps: 45, maker: sqliteMaker() });
  expect(failure).toBeNull();
}, 300_000);

test('the same seed gives the same trace', async () => {
  const hashes = new Set<string>();
  const sqlite = sqliteMaker();
  const seeds = 6 * DEPTH;
  for (let seed = 1; seed <= seeds; seed++) {
    const story = makeStory(seed, 100);
    expect(makeStory(seed, 100)).toEqual(story);
    const { hash } = await play(story, inMemory);
    expect((await play(story, inMemory)).hash).toBe(hash);
    const onFile = await play(story, sqlite);
    expect((await play(story, sqlite)).hash).toBe(onFile.hash);
    hashes.add(hash);
  }
  expect(hashes.size).toBe(seeds);
}, 300_000);
