import { expect, test } from 'vitest';
import { CapturedLog } from '../../../test/support/captured-log.ts';
import { until } from '../../../test/support/until.ts';
import { Gate } from '../../../test/support/worker-rig.ts';
import { BatonError } from '../../contract/errors.ts';
import { eventOf } from '../../contract/events/event-of.ts';
import { DatabaseWatch } from '../membership/database-watch.ts';
import type { AttemptWrite } from '../store.ts';
import { LostError } from './attempt-channel.ts';
import { AttemptWriter } from './attempt-writer.ts';

const ENDING = { outcome: { kind: 'succeeded', result: null }, retryDelayMs: 0 } as const;

function setUp({ bufferBytes = 8 * 1024 * 1024 } = {}) {
  const log = new CapturedLog();
  const batches: (readonly AttemptWrite[])[] = [];
  const answer = { next: async (writes: readonly AttemptWrite[]) => writes.map(() => true) };
  const store = {
    write: (writes: readonly AttemptWrite[]) => {
      // A copy, because the writer reuses its objects.
      batches.push(structuredClone(writes));
      return answer.next(writes);
    },
  };
  const database = new DatabaseWatch(log);
  const writer = new AttemptWriter({ store, database, log, bufferBytes });
  let lost = 0;
  const open = (lane: string, fence = 1) => writer.open(lane, fence, () => lost++);
  return { writer, batches, answer, open, log, lostCount: () => lost };
}

const event = (n: number) => eventOf('run.progress', n);

test('[E7] the start, events and end of a quick run are one write', async () => {
  const { open, batches } = setUp();
  const channel = open('a');
  channel.start();
  void channel.event(event(1), 10);
  void channel.event(event(2), 10);
  await channel.end(ENDING, 0);
  const events = [event(1), event(2)];
  expect(batches).toEqual([[{ lane: 'a', fence: 1, no: 1, start: true, events, end: ENDING }]]);
});

test('[E7] writes that arrive during a batch form the next one', async () => {
  const { open, batches, answer } = setUp();
  const gate = new Gate();
  answer.next = async (writes) => {
    await gate.pass();
    return writes.map(() => true);
  };
  const channels = Array.from({ length: 20 }, (_, n) => open(`lane ${n}`));
  const stored = [channels[0]?.event(event(0), 10)];
  await until(() => gate.reached === 1);
  for (let n = 0; n < 5; n++) for (const each of channels) stored.push(each.event(event(n), 10));
  gate.open();
  await Promise.all(stored);
  expect(batches.map((batch) => batch.length)).toEqual([1, 20]);
  expect(batches[1]?.[7]?.events).toHaveLength(5);
});

test('[E1] the writes of one attempt keep their order, even around a question', async () => {
  const { open, batches } = setUp();
  const channel = open('a');
  channel.start();
  void channel.ask();
  void channel.event(event(1), 10);
  void channel.commit({ kind: 'succeeded', result: 1 }, 10);
  void channel.event(event(2), 10);
  await channel.end(ENDING, 0);
  expect(batches.flat()).toEqual([
    { lane: 'a', fence: 1, no: 1, start: true, ask: true },
    { lane: 'a', fence: 1, no: 2, events: [event(1)], commit: { kind: 'succeeded', result: 1 } },
    { lane: 'a', fence: 1, no: 3, events: [event(2)], end: ENDING },
  ]);
  expect(batches.every((batch) => batch.length === 1)).toBe(true);
});

test('[E7] a batch is bounded in lanes and in bytes', async () => {
  const { open, batches } = setUp({ bufferBytes: 1e9 });
  const many = Array.from({ length: 1100 }, (_, n) => open(`lane ${n}`).event(event(n), 10));
  await Promise.all(many);
  expect(batches.map((batch) => batch.length)).toEqual([500, 500, 100]);
  batches.length = 0;
  const one = open('big');
  await Promise.all(Array.from({ length: 30 }, (_, n) => one.event(event(n), 256 * 1024)));
  expect(Math.max(...batches.flat().map((write) => write.events?.length ?? 0))).toBeLessThan(5);
  const seen = batches.flat().flatMap((write) => write.events?.map(({ payload }) => payload));
  expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => n));
});

test('[Q6] a refused fence ends the channel: nothing more is written, and all waiters are rejected', async () => {
  const { open, batches, answer, lostCount } = setUp();
  answer.next = async (writes) => writes.map(({ lane }) => lane !== 'bad');
  const [good, bad] = [open('good'), open('bad')];
  const results = await Promise.allSettled([
    bad.event(event(1), 10),
    bad.ask(),
    bad.event(event(2), 10),
    good.event(event(1), 10),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    ...['rejected', 'rejected', 'rejected'],
    'fulfilled',
  ]);
  expect(lostCount()).toBe(1);
  await expect(bad.end(ENDING, 0)).rejects.toBeInstanceOf(LostError);
  expect(batches.flat().filter(({ lane }) => lane === 'bad')).toHaveLength(1);
});

test('[E7] with a full buffer, room() waits until half of it is free', async () => {
  const { writer, open, answer } = setUp({ bufferBytes: 1000 });
  const gate = new Gate();
  answer.next = async (writes) => {
    await gate.pass();
    return writes.map(() => true);
  };
  const stored = ['a', 'b', 'c'].map((lane) => open(lane).event(event(1), 400));
  expect(writer.bufferedBytes).toBeGreaterThan(1000);
  let room = false;
  const waited = writer.room().then(() => {
    room = true;
  });
  await until(() => gate.reached === 1);
  expect(room).toBe(false);
  gate.open();
  await Promise.all([...stored, waited]);
  expect(writer.bufferedBytes).toBe(0);
  await writer.room();
});

test('[E7] an attempt that does not wait is refused before it exhausts memory', async () => {
  const { open } = setUp({ bufferBytes: 1000 });
  const channel = open('a');
  const first = channel.event(event(1), 1500);
  expect(() => channel.event(event(2), 600)).toThrow('await emit()');
  await first;
  await channel.event(event(3), 600);
});

test('[O5] while the database is away the same batch is retried under the same number', async () => {
  const { open, batches, answer } = setUp();
  let failures = 2;
  answer.next = async (writes) => {
    if (failures-- > 0) throw new BatonError('database_unreachable');
    return writes.map(() => true);
  };
  const channel = open('a');
  await channel.event(event(1), 10);
  expect(batches).toHaveLength(3);
  expect(new Set(batches.map((batch) => JSON.stringify(batch))).size).toBe(1);
  await channel.event(event(2), 10);
  expect(batches.at(-1)?.[0]?.no).toBe(2);
});

test('[Q6] abandon() rejects all waiters, even those of a hanging write', async () => {
  const { writer, open, answer, batches } = setUp();
  answer.next = () => new Promise(() => {});
  const [one, two] = [open('one'), open('two')];
  const hanging = one.event(event(1), 10);
  await until(() => batches.length === 1);
  const collected = two.event(event(1), 10);
  writer.abandon();
  await expect(hanging).rejects.toBeInstanceOf(LostError);
  await expect(collected).rejects.toBeInstanceOf(LostError);
  await expect(open('three').event(event(1), 10)).rejects.toBeInstanceOf(LostError);
  expect(writer.bufferedBytes).toBe(0);
  await writer.room();
});
