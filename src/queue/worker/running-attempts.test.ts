import { expect, test } from 'vitest';
import { CapturedLog } from '../../../test/support/captured-log.ts';
import { DatabaseWatch } from '../node/database-watch.ts';
import type { ClaimedRun, HeldLane } from '../store.ts';
import { Attempt, nextStamp } from './attempt.ts';
import { AttemptWriter } from './attempt-writer.ts';
import { RunningAttempts } from './running-attempts.ts';

function setUp() {
  const log = new CapturedLog();
  const store = { write: async (writes: readonly unknown[]) => writes.map(() => true) };
  const database = new DatabaseWatch(log);
  const writer = new AttemptWriter({ store, database, log, bufferBytes: 1000 });
  const held = new RunningAttempts(log, 5000);
  const add = (lane: string, fence = 1): Attempt => {
    const run = { id: lane, lane, type: 't', attempts: 1 } as ClaimedRun['run'];
    const attempt = new Attempt({ run, fence }, writer, () => {});
    held.add(attempt);
    return attempt;
  };
  return { held, add };
}

const shows = (lane: string, changes: Partial<HeldLane> = {}): HeldLane => ({
  ...{ lane, fence: 1, state: 'running', cancel: null },
  ...changes,
});

test('[Q6] a lane that a poll does not show, or shows under another fence, is lost', () => {
  const { held, add } = setUp();
  const [kept, missing, taken] = [add('kept'), add('missing'), add('taken')];
  held.compare([shows('kept'), shows('taken', { fence: 2 })], nextStamp());
  expect([kept, missing, taken].map(({ lost }) => lost)).toEqual([false, true, true]);
});

test('[Q22] a poll that was sent before the claim says nothing about it', () => {
  const { held, add } = setUp();
  const sentAt = nextStamp();
  const attempt = add('new');
  held.compare([], sentAt);
  expect(attempt.lost).toBe(false);
});

test('[Q22] a run whose end is on its way is not taken for lost', () => {
  const { held, add } = setUp();
  const attempt = add('ending');
  attempt.ending = true;
  held.compare([], nextStamp());
  expect(attempt.lost).toBe(false);
});

test('[Q8] a poll that was sent before the question does not answer it', async () => {
  const { held, add } = setUp();
  const attempt = add('asks');
  const sentAt = nextStamp();
  let resumed = false;
  const waited = attempt.wait().then(() => {
    resumed = true;
  });
  while (!attempt.asking) await new Promise(setImmediate);
  held.compare([shows('asks')], sentAt);
  held.compare([shows('asks', { state: 'asking' })], nextStamp());
  await new Promise(setImmediate);
  expect(resumed).toBe(false);
  expect(held.executing).toBe(0);
  held.compare([shows('asks')], nextStamp());
  await waited;
  expect(held.executing).toBe(1);
});

test('[Q22] a stray is shown twice, with every claim in between answered', () => {
  const { held } = setUp();
  const stray = shows('stray');
  expect(held.strays([stray], { begun: 5, ended: 4 })).toEqual([]);
  // The claim that may have brought it is still under way.
  expect(held.strays([stray], { begun: 5, ended: 4 })).toEqual([]);
  expect(held.strays([shows('stray', { fence: 2 })], { begun: 5, ended: 5 })).toEqual([]);
  expect(held.strays([stray], { begun: 5, ended: 5 })).toEqual([]);
  expect(held.strays([stray], { begun: 6, ended: 5 })).toEqual([stray]);
});

test('[Q9] the first reason to stop stands, except that a loss overrules it', () => {
  const { held, add } = setUp();
  const attempt = add('a');
  held.compare([shows('a', { cancel: 'stop' })], nextStamp());
  expect(attempt.abort).toMatchObject({ kind: 'cancelled', cancel: 'stop' });
  held.compare([shows('a', { cancel: 'interrupt' })], nextStamp());
  expect(attempt.abort?.cancel).toBe('stop');
  held.compare([], nextStamp());
  expect(attempt.lost).toBe(true);
  expect(attempt.signal.aborted).toBe(true);
});
