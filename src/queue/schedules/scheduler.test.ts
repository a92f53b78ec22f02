import { expect, onTestFinished, test } from 'vitest';
import { CapturedLog } from '../../../test/support/captured-log.ts';
import { faultyStore } from '../../../test/support/faulty-store.ts';
import { scheduleQueue, TestClock, ticksOf } from '../../../test/support/schedule-rig.ts';
import { until } from '../../../test/support/until.ts';
import { Gate } from '../../../test/support/worker-rig.ts';
import { BatonError } from '../../contract/errors.ts';
import { scheduleWrite } from '../conformance/schedule.ts';
import { memoryStore } from '../memory/store.ts';
import { Scheduler, type SchedulerOptions } from './scheduler.ts';

const HOUR = 3_600_000;

function setUp(pollMs = HOUR) {
  const clock = new TestClock('2026-05-01T10:00:00Z');
  const base = memoryStore({ clock: clock.read });
  const { store, faults } = faultyStore(base);
  const log = new CapturedLog();
  const scheduler = new Scheduler({ store, pollMs, log });
  onTestFinished(async () => {
    faults.away = null;
    await scheduler.stop();
    await base.close();
  });
  const passes = (): number => faults.calls.get('dueSchedules') ?? 0;
  return { clock, base, faults, log, scheduler, passes, queue: scheduleQueue(base) };
}

test('[Q13] a hint wakes the scheduler: a schedule created while it waits fires on time', async () => {
  const { clock, queue, scheduler, passes } = setUp();
  scheduler.start();
  await until(() => passes() === 1);
  // Due 40 ms from now, far before the poll.
  await queue.schedule({ at: clock.now + 40, type: 'any' });
  await until(() => passes() === 2);
  expect(scheduler.fired).toBe(0);
  clock.now += 40;
  await until(() => scheduler.fired === 1);
  expect((await queue.counts()).queued).toBe(1);
});

test('[Q13] a lost hint costs no more than a poll', async () => {
  const { clock, base, queue } = setUp();
  const store: SchedulerOptions['store'] = {
    dueSchedules: (page) => base.dueSchedules(page),
    fireSchedule: (firing) => base.fireSchedule(firing),
    onHint: () => () => {},
  };
  const deaf = new Scheduler({ store, pollMs: 5 });
  onTestFinished(() => deaf.stop());
  deaf.start();
  await queue.schedule({ at: clock.now + 10, type: 'any' });
  clock.now += 10;
  await until(() => deaf.fired === 1);
});

test('start and stop may be called twice and in any order', async () => {
  const { clock, queue, scheduler, passes } = setUp();
  await scheduler.stop();
  scheduler.start();
  scheduler.start();
  await until(() => passes() === 1);
  await Promise.all([scheduler.stop(), scheduler.stop()]);
  await queue.schedule({ at: clock.now + 1, type: 'any' });
  clock.now += 1;
  expect(passes()).toBe(1);
  scheduler.start();
  await until(() => scheduler.fired === 1);
});

test('stop() waits for ticks that are being fired', async () => {
  const { clock, queue, faults, scheduler } = setUp();
  await queue.schedule({ at: clock.now + 1, type: 'any' });
  clock.now += 1;
  const gate = new Gate();
  faults.before = (method) => (method === 'fireSchedule' ? gate.pass() : undefined);
  scheduler.start();
  await until(() => gate.reached === 1);
  let stopped = false;
  const stopping = scheduler.stop().then(() => {
    stopped = true;
  });
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  gate.open();
  await stopping;
  expect((await queue.counts()).queued).toBe(1);
});

test('[O5] an outage of the database is logged once, and firing continues afterwards', async () => {
  const { clock, queue, faults, log, scheduler, passes } = setUp(3);
  await queue.schedule({ cron: '* * * * *', type: 'any' });
  faults.away = new BatonError('database_unreachable');
  scheduler.start();
  await until(() => passes() > 3);
  clock.now += 10 * 60_000;
  await until(() => passes() > 6);
  expect(log.of('Schedules cannot fire')).toHaveLength(1);
  faults.away = null;
  await until(() => scheduler.fired === 1);
  expect(log.of('Schedules are firing again')).toHaveLength(1);
  expect(log.of('Enqueued')[0]).toMatchObject({ type: 'any', missed: true, lateMs: 9 * 60_000 });
});

test('[Q13] a schedule that this node cannot read is logged and does not block others', async () => {
  const { clock, base, queue, log, scheduler } = setUp();
  for (let i = 0; i < 50; i++) {
    const unreadable = { id: `a${i}`, timezone: 'Mars/Olympus', nextAt: clock.now };
    await base.putSchedule(scheduleWrite({ ...unreadable }), null);
  }
  await queue.schedule({ id: 'z', at: clock.now + 1, type: 'any' });
  clock.now += 1;
  scheduler.start();
  await until(() => scheduler.fired === 1);
  expect(log.of('ScheduleUnreadable')).toHaveLength(50);
  expect((await base.getSchedule('a0'))?.lastAt).toBe(null);
});

test('[Q13] many schedules due at once all fire', async () => {
  const { clock, base, queue, scheduler } = setUp();
  for (let i = 0; i < 130; i++) await queue.schedule({ id: `s${i}`, cron: '@daily', type: 'any' });
  clock.now += 24 * HOUR;
  scheduler.start();
  await until(() => scheduler.fired === 130);
  expect(new Set((await ticksOf(base)).map(({ schedule }) => schedule)).size).toBe(130);
});
