import { expect, onTestFinished, test, vi } from 'vitest';
import { range, read, readAll, seqs } from '../../../test/support/tails.ts';
import { type Sized, sized } from './sized.ts';
import { Tail } from './tail.ts';

const page = (first: number, last: number, payload: string | null = null): Sized[] =>
  range(first, last).map((seq) =>
    sized({ lane: 'l', seq, runId: 'r', attempt: 1, type: 'run.progress', payload, at: 0 }),
  );

function setUp({ after = 0, unreadBytes = 10_000, stallMs = 1000 } = {}) {
  const ended: Tail[] = [];
  const limits = { unreadBytes, stallMs };
  const tail = new Tail('l', { after, runId: null, reader: 'r' }, limits, (one) => ended.push(one));
  return { tail, ended };
}

test('[E3] delivers each event after its cursor once, even to calls that were waiting', async () => {
  const { tail } = setUp({ after: 2 });
  const waiting = Promise.all([tail.next(), tail.next(), tail.next()]);
  tail.offer(page(1, 3), 3);
  tail.offer(page(2, 6), 6);
  expect((await waiting).map(({ value }) => 'seq' in value && value.seq)).toEqual([3, 4, 5]);
  expect(seqs((await tail.take()) ?? [])).toEqual([6]);
  expect(tail.position).toBe(6);
});

test('[E3] a reader that is always behind loses no events and retains none', async () => {
  const { tail } = setUp({ unreadBytes: 1_000_000 });
  tail.offer(page(1, 10), 10);
  for (let seq = 1; seq <= 3000; seq++) {
    tail.offer(page(seq + 10, seq + 10), seq + 10);
    expect(seqs(await read(tail, 1))).toEqual([seq]);
  }
  expect(tail.unreadBytes).toBeLessThan(10 * 300);
});

test('[E4] too many unread bytes end the tail, with the cursor of the last event taken', async () => {
  const { tail, ended } = setUp();
  tail.offer(page(1, 5), 5);
  await read(tail, 2);
  tail.offer(page(6, 8, 'x'.repeat(5000)), 8);
  expect(await readAll(tail)).toEqual([]);
  expect(tail.end).toEqual({ reason: 'unread', dropped: true, after: 2 });
  expect(ended).toEqual([tail]);
  expect(await tail.take()).toBeNull();
});

test('[E4] one page larger than the limit does not drop a reader that keeps up', async () => {
  const { tail } = setUp();
  for (let first = 1; first < 30; first += 10) {
    tail.offer(page(first, first + 9, 'x'.repeat(5000)), first + 9);
    expect(await tail.take()).toHaveLength(10);
  }
  expect(tail.end).toBeNull();
});

test('[E4] a reader that takes nothing for too long is dropped; one that waits for events is not', async () => {
  const idle = setUp();
  idle.tail.dropIfStalled(performance.now() + 60_000);
  expect(idle.tail.end).toBeNull();
  const { tail } = setUp();
  tail.offer(page(1, 5), 5);
  tail.dropIfStalled(performance.now() + 900);
  expect(seqs(await read(tail, 1))).toEqual([1]);
  tail.dropIfStalled(performance.now() + 2000);
  expect(await readAll(tail)).toEqual([]);
  expect(tail.end).toEqual({ reason: 'stalled', dropped: true, after: 1 });
});

test('events before an end are still delivered; a stop discards them', async () => {
  const finished = setUp();
  finished.tail.offer(page(1, 3), 3);
  finished.tail.finish('gone');
  expect(finished.tail.end).toBeNull();
  expect(seqs(await readAll(finished.tail))).toEqual([1, 2, 3]);
  expect(finished.tail.end).toEqual({ reason: 'gone', dropped: false, after: 3 });
  const stopped = setUp();
  stopped.tail.offer(page(1, 3), 3);
  for await (const { seq } of stopped.tail) if (seq === 1) break;
  expect(stopped.tail.end).toEqual({ reason: 'stopped', dropped: false, after: 1 });
  stopped.tail.offer(page(4, 5), 5);
  expect(await readAll(stopped.tail)).toEqual([]);
});

test('[E4] a reader that is always behind but keeps taking events is not dropped', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const { tail } = setUp();
  tail.offer(page(1, 10), 10);
  for (let seq = 1; seq <= 5; seq++) {
    now += 900;
    expect(seqs(await read(tail, 1))).toEqual([seq]);
    tail.dropIfStalled(now + 900);
  }
  expect(tail.end).toBeNull();
});
