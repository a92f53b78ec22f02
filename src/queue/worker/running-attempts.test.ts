import { expect, test } from 'vitest';
import { CapturedLog } from '../../../test/support/captured-log.ts';
import { DatabaseWatch } from '../membership/database-watch.ts';
import type { ClaimedRun, HeldLane } from '../store.ts';
import { Attempt, nextStamp } from './attempt.ts';
import { AttemptWriter } from './attempt-writer.ts';
import { RunningAttempts } from './running-attempts.ts';

function setUp() {
  const log = new CapturedLog();
  const store = { write: async (writes: readonly unknown[]) => writes.map(() => true) };
  const database = new DatabaseWatch(log);
  const writer = new AttemptWriter({ store, database, log, bufferBytes: 1000 });
  const attempts = new RunningAttempts(log, 5000);
  const add = (lane: string, fence = 1): Attempt => {
    const run = { id: lane, lane, type: 't', attempts: 1 } as ClaimedRun['run'];
    const attempt = new Attempt({ run, fence }, writer, () => {});
    attempts.add(attempt);
    return attempt;
  };
  return { attempts, add };
}

const shows = (lane: string, changes: Partial<HeldLane> = {}): HeldLane => ({
  ...{ lane, fence: 1, state: 'running', cancel: null },
  ...changes,
});

test('[Q6] an attempt is lost if a poll shows its lane under another fence or not at all', () => {
  const { attempts, add } = setUp();
  const [kept, missing, taken] = [add('kept'), add('missing'), add('taken')];
  attempts.compare([shows('kept'), shows('taken', { fence: 2 })], nextStamp());
  expect([kept, missing, taken].map(({ lost }) => lost)).toEqual([false, true, true]);
});

test('[Q22] a poll sent before the claim does not affect its attempt', () => {
  const { attempts, add } = setUp();
  const sentAt = nextStamp();
  const attempt = add('new');
  attempts.compare([], sentAt);
  expect(attempt.lost).toBe(false);
});

test('[Q22] an attempt whose end is being written does not count as lost', () => {
  const { attempts, add } = setUp();
  const attempt = add('ending');
  attempt.ending = true;
  attempts.compare([], nextStamp());
  expect(attempt.lost).toBe(false);
});

test('[Q8] a poll sent before the question does not answer it', async () => {
  const { attempts, add } = setUp();
  const attempt = add('asks');
  const sentAt = nextStamp();
  let resumed = false;
  const waited = attempt.wait().then(() => {
    resumed = true;
  });
  while (!attempt.asking) await new Promise(setImmediate);
  attempts.compare([shows('asks')], sentAt);
  attempts.compare([shows('asks', { state: 'asking' })], nextStamp());
  await new Promise(setImmediate);
  expect(resumed).toBe(false);
  expect(attempts.executing).toBe(0);
  attempts.compare([shows('asks')], nextStamp());
  await waited;
  expect(attempts.executing).toBe(1);
});

test('[Q22] a stray counts once two polls show it and every claim in between was answered', () => {
  const { attempts } = setUp();
  const stray = shows('stray');
  expect(attempts.strays([stray], { begun: 5, ended: 4 })).toEqual([]);
  // The claim that may have returned it is still in progress.
  expect(attempts.strays([stray], { begun: 5, ended: 4 })).toEqual([]);
  expect(attempts.strays([shows('stray', { fence: 2 })], { begun: 5, ended: 5 })).toEqual([]);
  expect(attempts.strays([stray], { begun: 5, ended: 5 })).toEqual([]);
  expect(attempts.strays([stray], { begun: 6, ended: 5 })).toEqual([stray]);
});

test('[Q9] the first reason to stop stays, unless the run is lost later', () => {
  const { attempts, add } = setUp();
  const attempt = add('a');
  attempts.compare([shows('a', { cancel: 'stop' })], nextStamp());
  expect(attempt.abort).toMatchObject({ kind: 'cancelled', cancel: 'stop' });
  attempts.compare([shows('a', { cancel: 'interrupt' })], nextStamp());
  expect(attempt.abort?.cancel).toBe('stop');
  attempts.compare([], nextStamp());
  expect(attempt.lost).toBe(true);
  expect(attempt.signal.aborted).toBe(true);
});
