import { expect, test } from 'vitest';
import { GrowthHub, GrowthReader } from './growth.ts';

function setUp() {
  const last = new Map<string, number>();
  const asked: (readonly string[])[] = [];
  const away: { error: Error | null } = { error: null };
  const failures: unknown[] = [];
  const hub = new GrowthHub(
    async (lanes) => {
      asked.push(lanes);
      if (away.error !== null) throw away.error;
      return new Map(lanes.flatMap((lane) => (last.has(lane) ? [[lane, last.get(lane)!]] : [])));
    },
    (error) => failures.push(error),
  );
  const reader = new GrowthReader((one) => hub.readers.delete(one));
  hub.readers.add(reader);
  return { hub, reader, last, asked, away, failures };
}

test('[E9] growth of a lane within a short time is one hint, with the latest seq', async () => {
  const { hub, reader, last, asked } = setUp();
  for (let seq = 1; seq <= 100; seq++) {
    last.set('a', seq);
    hub.note(['a']);
  }
  expect((await reader.next()).value).toEqual({ lane: 'a', lastSeq: 100 });
  expect(asked).toEqual([['a']]);
});

test('[E9] a slow reader gets each lane once; too many lanes become `all`', async () => {
  const { reader } = setUp();
  reader.offer(new Map([['a', 1]]));
  reader.offer(new Map([['a', 2]]));
  expect((await reader.next()).value).toEqual({ lane: 'a', lastSeq: 2 });
  reader.offer(new Map(Array.from({ length: 10_001 }, (_, i) => [`lane-${i}`, 1])));
  expect((await reader.next()).value).toEqual({ all: true });
  reader.offer(new Map([['b', 1]]));
  expect((await reader.next()).value).toEqual({ lane: 'b', lastSeq: 1 });
});

test('[E9] [S12] a removed lane makes every reader reload everything', async () => {
  const { hub, reader, last } = setUp();
  last.set('a', 3);
  hub.note(['a', 'removed']);
  expect((await reader.next()).value).toEqual({ all: true });
});

test('[E9] a hint that the store could not answer is sent later', async () => {
  const { hub, reader, last, away, failures } = setUp();
  last.set('a', 7);
  const next = reader.next();
  away.error = new Error('away');
  hub.note(['a']);
  while (failures.length === 0) await new Promise(setImmediate);
  away.error = null;
  hub.retry();
  expect((await next).value).toEqual({ lane: 'a', lastSeq: 7 });
});

test('[E9] without readers the store is not asked; an ended reader gets nothing', async () => {
  const { hub, reader, asked } = setUp();
  const waiting = reader.next();
  await reader.return();
  expect((await waiting).done).toBe(true);
  hub.note(['a']);
  await new Promise(setImmediate);
  expect(asked).toEqual([]);
});
