import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { CapturedLog } from '../../../test/support/captured-log.ts';
import { faultyStore } from '../../../test/support/faulty-store.ts';
import { range, read, readAll, seqs } from '../../../test/support/tails.ts';
import { turnsDuring } from '../../../test/support/turns.ts';
import { until } from '../../../test/support/until.ts';
import { BatonError } from '../../contract/errors.ts';
import type { LogEvent } from '../../contract/event.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { memoryStore } from '../memory/store.ts';
import { RunQueue } from '../run-queue.ts';
import type { FollowOptions } from './follower.ts';

function setUp(follow: FollowOptions = {}) {
  const base = memoryStore();
  const { store, faults } = faultyStore(base);
  const log = new CapturedLog();
  const queue = new RunQueue(store, { log, follow });
  onTestFinished(async () => {
    faults.before = null;
    faults.away = null;
    await queue.close();
  });
  const note = (lane: string, payload: string | number = 0): Promise<unknown> =>
    base.change({ do: 'note', lane, event: eventOf('run.progress', payload) });
  const notes = async (lane: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await note(lane, n);
  };
  const calls = (method: string): number => faults.calls.get(method) ?? 0;
  return { base, store, queue, faults, log, note, notes, calls };
}

test('[E1] a hundred tails of a lane share each read', async () => {
  const { queue, note, notes, calls } = setUp({ pollMs: 60_000 });
  await notes('l', 3);
  const tails = range(1, 100).map(() => queue.tail('l', { after: 3 }));
  const first = Promise.all(tails.map((tail) => read(tail, 1)));
  // The lane's last seq is read before new events are.
  await until(() => calls('lastSeqs') === 1);
  for (let n = 1; n <= 5; n++) {
    await note('l');
    if (n === 1) await first;
    else await Promise.all(tails.map((tail) => read(tail, 1)));
    expect(calls('listAfterEach')).toBe(n);
  }
  expect(calls('listAfter')).toBe(0);
  expect(queue.following).toEqual({ lanes: 1, tails: 100 });
});

test('[E4] [H9] many fast readers of a long log do not keep the node from its other work', async () => {
  const { queue, notes, calls } = setUp({ pollMs: 60_000 });
  await notes('l', 2000);
  const turns = await turnsDuring(() =>
    Promise.all(range(1, 20).map(() => read(queue.tail('l'), 2000))),
  );
  expect(calls('listAfter')).toBeGreaterThan(100);
  expect(turns).toBeGreaterThanOrEqual(calls('listAfter') - 20);
});

test('[E4] [H9] a reader waits for one page of another, however many tails that one has', async () => {
  const { queue, notes } = setUp({ pollMs: 60_000 });
  await notes('l', 2000);
  const done: string[] = [];
  const readAs = (reader: string) =>
    read(queue.tail('l', { reader }), 2000).then(() => done.push(reader));
  const many = range(1, 40).map(() => readAs('taro'));
  await readAs('hanako');
  expect(done).toEqual(['hanako']);
  await Promise.all(many);
});

test('[E1] a tail misses nothing if too much to hold arrives while it reads stored events', async () => {
  const { base, queue, note, notes } = setUp({ pollMs: 5 });
  await notes('l', 5);
  const live = queue.tail('l', { after: 5 });
  const first = read(live, 1);
  await note('l');
  await first;
  const listAfter = base.listAfter.bind(base);
  base.listAfter = async (...args) => {
    const page = await listAfter(...args);
    base.listAfter = listAfter;
    for (let n = 0; n < 20; n++) await note('l', 'x'.repeat(20_000));
    // The feed has read them, too.
    await read(live, 20);
    return page;
  };
  const late = queue.tail('l');
  const all = [...(await read(late, 6)), ...(await read(late, 20))];
  await note('l');
  expect(seqs([...all, ...(await read(late, 1))])).toEqual(range(1, 27));
});

test('[E1] thousands of idle tails cost little memory and one poll together', async () => {
  const { queue, faults, note } = setUp({ pollMs: 5 });
  const polled: number[] = [];
  faults.before = (method, [lanes]) => {
    if (method === 'lastSeqs') polled.push((lanes as string[]).length);
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const tails = range(1, 2000).map((n) => queue.tail(`lane-${n}`));
  const waiting = tails.map((tail) => tail.next());
  await until(() => polled.length >= 6);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2000 * 5000);
  // The first read and every poll ask for all lanes in two statements.
  expect(new Set(polled)).toEqual(new Set([1000]));
  expect(faults.calls.get('listAfter')).toBeUndefined();
  expect(faults.calls.get('listAfterEach')).toBeUndefined();
  await note('lane-7');
  expect(await waiting[6]).toMatchObject({ value: { lane: 'lane-7', seq: 1 } });
  await queue.close();
  for (const end of await Promise.all(tails.map((tail) => tail.next()))) {
    expect(end).toMatchObject({ done: true, value: { reason: 'closed' } });
  }
});

test('polling starts with the first tail and stops with the last', async () => {
  const { base, queue, calls, note } = setUp({ pollMs: 2 });
  let listeners = 0;
  const onHint = base.onHint.bind(base);
  base.onHint = (listener) => {
    listeners++;
    const stop = onHint(listener);
    return () => {
      listeners--;
      stop();
    };
  };
  expect(listeners).toBe(0);
  const first = queue.tail('a');
  const second = queue.tail('b');
  await until(() => calls('lastSeqs') > 3);
  expect(listeners).toBe(1);
  await first.return();
  expect(listeners).toBe(1);
  await second.return();
  expect(listeners).toBe(0);
  expect(queue.following).toEqual({ lanes: 0, tails: 0 });
  const hints = queue.hints();
  expect(listeners).toBe(1);
  await hints.return?.();
  expect(listeners).toBe(0);
  const again = queue.tail('a');
  await note('a');
  expect(seqs(await read(again, 1))).toEqual([1]);
});

test('[E4] a slow reader is dropped with its cursor, can resume, and delays nobody', async () => {
  const { queue, note } = setUp({ unreadBytes: 20_000 });
  const slow = queue.tail('l');
  const quick = queue.tail('l');
  const all = read(quick, 100);
  for (let n = 1; n <= 100; n++) {
    await note('l', 'x'.repeat(1000));
    if (n === 10) expect(seqs(await read(slow, 10))).toEqual(range(1, 10));
    // The writer waits for no reader, but this loop must give the quick one time to run.
    await new Promise(setImmediate);
  }
  expect(seqs(await all)).toEqual(range(1, 100));
  expect(await readAll(slow)).toEqual([]);
  expect(slow.end).toEqual({ reason: 'unread', dropped: true, after: 10 });
  const resumed = queue.tail('l', { after: slow.end?.after ?? 0 });
  expect(seqs(await read(resumed, 90))).toEqual(range(11, 100));
  expect(quick.end).toBeNull();
});

test('[E4] a reader that takes nothing is dropped; one that reads stored events slowly is not', async () => {
  const { queue, notes } = setUp({ unreadBytes: 20_000, stallMs: 50, pollMs: 5 });
  await notes('l', 2000);
  const stalled = queue.tail('l');
  expect(seqs(await read(stalled, 3))).toEqual([1, 2, 3]);
  // Far more than the limit is stored, and it is read with pauses; only taking nothing is too slow.
  const calm = queue.tail('l');
  const seen: number[] = [];
  for await (const { seq } of calm) {
    seen.push(seq);
    if (seq % 100 === 0) await new Promise(setImmediate);
    if (seq === 2000) break;
  }
  expect(seen).toEqual(range(1, 2000));
  await until(() => stalled.end !== null);
  expect(stalled.end).toEqual({ reason: 'stalled', dropped: true, after: 3 });
});

test('an aborted tail ends while it waits, and releases its signal', async () => {
  const { queue } = setUp();
  const abort = new AbortController();
  const tail = queue.tail('l', { after: 4, signal: abort.signal });
  const waiting = tail.next();
  abort.abort();
  expect(await waiting).toEqual({
    done: true,
    value: { reason: 'stopped', dropped: false, after: 4 },
  });
  expect(queue.following.tails).toBe(0);
  expect(queue.tail('l', { signal: abort.signal }).end?.reason).toBe('stopped');
  expect((await queue.hints({ signal: abort.signal }).next()).done).toBe(true);
});

test('[E1] [O5] while the database is away tails stay open, and continue when it is back', async () => {
  const { queue, faults, notes, calls, log } = setUp({ pollMs: 5 });
  await notes('l', 5);
  const live = queue.tail('l');
  expect(seqs(await read(live, 5))).toEqual(range(1, 5));
  faults.away = new BatonError('database_unreachable');
  await notes('l', 5);
  const late = queue.tail('l', { after: 2 });
  const fresh = queue.tail('other');
  const before = calls('lastSeqs');
  await until(() => calls('lastSeqs') > before + 5);
  expect([live.end, late.end, fresh.end]).toEqual([null, null, null]);
  faults.away = null;
  await notes('other', 1);
  expect(seqs(await read(live, 5))).toEqual(range(6, 10));
  expect(seqs(await read(late, 8))).toEqual(range(3, 10));
  expect(seqs(await read(fresh, 1))).toEqual([1]);
  expect(log.of('The database is not responding; retrying')).toHaveLength(1);
});

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

test('[E3] an event appended while the last seq is being read is not lost', async () => {
  const { base, queue, note } = setUp({ pollMs: 60_000 });
  const lastSeqs = base.lastSeqs.bind(base);
  let reads = 0;
  base.lastSeqs = async (lanes) => {
    const answer = await lastSeqs(lanes);
    // The answer is older than the event, and arrives after its hint.
    if (reads++ === 0) await note('l').then(() => turns(3));
    return answer;
  };
  const tail = queue.tail('l');
  expect(seqs(await read(tail, 1))).toEqual([1]);
  await note('l');
  expect(seqs(await read(tail, 1))).toEqual([2]);
});

test('[E3] events appended while stored events are read are neither lost nor doubled', async () => {
  const { base, queue, notes } = setUp({ pollMs: 60_000 });
  await notes('l', 40);
  const { id } = await queue.register('t', {}).enqueue({ type: 't', lane: 'l' });
  const other = queue.tail('l', { after: 41 });
  const listAfter = base.listAfter.bind(base);
  const grow = async (): Promise<void> => {
    await notes('l', 10);
    await queue.edit(id, null);
    await turns(3);
  };
  const reads = { lane: 0, run: 0 };
  base.listAfter = async (...args) => {
    // New events are appended and delivered before and after each of the first pages is read.
    const growing = reads[args[3] === undefined ? 'lane' : 'run']++ < 5;
    if (growing) await grow();
    const page = await listAfter(...args);
    if (growing) await grow();
    return page;
  };
  const lastSeq = async (): Promise<number> => (await base.lastSeqs(['l'])).get('l') ?? 0;
  const tail = queue.tail('l');
  const seen: LogEvent[] = [];
  while (seen.length < (await lastSeq())) seen.push(...(await read(tail, 1)));
  expect(reads.lane).toBeGreaterThanOrEqual(3);
  expect(reads.lane).toBeLessThan(6);
  const ofRun = queue.tail('l', { runId: id });
  const first = await read(ofRun, 1);
  await queue.cancel(id);
  const rest = await readAll(ofRun);
  expect([...first, ...rest]).toEqual(await listAfter('l', 0, 1000, id));
  const last = await lastSeq();
  seen.push(...(await read(tail, last - seen.length)));
  expect(seqs(seen)).toEqual(range(1, last));
  expect(seqs(await read(other, last - 41))).toEqual(range(42, last));
});

test('closing the queue or its store ends all tails', async () => {
  const first = setUp({ pollMs: 5 });
  const tails = [first.queue.tail('a'), first.queue.tail('b')];
  const waiting = Promise.all(tails.map(readAll));
  await first.queue.close();
  expect(await waiting).toEqual([[], []]);
  expect(tails.map(({ end }) => end?.reason)).toEqual(['closed', 'closed']);
  expect(first.queue.tail('c').end?.reason).toBe('closed');
  await first.queue.close();
  const second = setUp({ pollMs: 5 });
  const tail = second.queue.tail('a');
  await second.base.close();
  expect(await readAll(tail)).toEqual([]);
  expect(tail.end?.reason).toBe('closed');
});

test('an invalid lane, cursor or run id is refused', () => {
  const { queue } = setUp();
  expect(() => queue.tail('')).toThrow('lane');
  expect(() => queue.tail('l', { after: -1 })).toThrow('after');
  expect(() => queue.tail('l', { after: 0.5 })).toThrow('after');
  expect(() => queue.tail('l', { runId: '' })).toThrow('run');
});

test('[E4] the more idle readers a long log has, the less each of them holds', async () => {
  const allBytes = 256 * 1024;
  const { queue, note } = setUp({ allBytes });
  for (let n = 0; n < 60; n++) await note('l', 'x'.repeat(8 * 1024));
  const held = async (readers: number): Promise<number> => {
    const tails = range(1, readers).map(() => queue.tail('l'));
    // Like a stream that takes events but cannot send them.
    const taken = await Promise.all(tails.map((tail) => tail.take()));
    // Enough time to read another page, if readers that hold one were given more.
    for (let n = 0; n < 10; n++) await new Promise(setImmediate);
    const unsent = taken.map((events) => JSON.stringify(events).length);
    const unread = tails.map(({ unreadBytes }) => unreadBytes);
    await Promise.all(tails.map((tail) => tail.return()));
    return [...unsent, ...unread].reduce((sum, bytes) => sum + bytes, 0);
  };
  const one = await held(1);
  expect(one).toBeLessThan(300 * 1024);
  const hundred = await held(100);
  // The first readers hold more, the later ones less.
  expect(hundred).toBeLessThan(10 * allBytes);
  expect(hundred / 100).toBeLessThan(one / 4);
  expect(queue.following.tails).toBe(0);
});
