import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  fireDueTicks,
  scheduleQueue,
  TestClock,
  ticksOf,
  timesOf,
} from '../../../test/support/schedule-rig.ts';
import type { ScheduleChanges, ScheduleRequest } from '../../contract/schedule.ts';
import { memoryStore } from '../memory/store.ts';

function setUp(start = '2026-05-01T10:00:00Z') {
  const clock = new TestClock(start);
  const store = memoryStore({ clock: clock.read });
  const queue = scheduleQueue(store);
  queue.register('mail', { payload: z.object({ to: z.string() }), maxAttempts: 2 });
  const daily = { id: 's', cron: '0 12 * * *', type: 'any' };
  return { clock, store, queue, daily };
}
const at = (time: string): number => Date.parse(time);

test('[Q13] each tick creates a run from the template', async () => {
  const { clock, store, queue } = setUp();
  const made = await queue.schedule({
    cron: '0 12 * * *',
    timezone: 'Asia/Tokyo',
    type: 'mail',
    payload: { to: 'you' },
    lane: 'l',
    owner: 'ann',
  });
  expect(made).toMatchObject({ nextAt: at('2026-05-02T03:00Z'), lane: 'l', maxAttempts: 2 });
  expect(await fireDueTicks(store)).toBe(0);
  clock.set('2026-05-02T03:00Z');
  expect(await fireDueTicks(store)).toBe(1);
  expect(await fireDueTicks(store)).toBe(0);
  const [run] = await queue.list();
  expect(run).toMatchObject({ type: 'mail', payload: { to: 'you' }, lane: 'l', owner: 'ann' });
  expect(run?.maxAttempts).toBe(2);
  expect(await ticksOf(store)).toEqual([
    { schedule: made.id, at: at('2026-05-02T03:00Z'), missed: false },
  ]);
  expect(await queue.getSchedule(made.id)).toMatchObject({
    lastRunId: run?.id,
    nextAt: at('2026-05-03T03:00Z'),
  });
});

test('[Q13] a schedule with a time fires once', async () => {
  const { clock, store, queue } = setUp();
  const { id } = await queue.schedule({ at: at('2026-05-01T11:00Z'), type: 'any' });
  clock.set('2026-05-09T00:00Z');
  expect(await fireDueTicks(store)).toBe(1);
  expect(await fireDueTicks(store)).toBe(0);
  expect(await ticksOf(store)).toMatchObject([{ at: at('2026-05-01T11:00Z'), missed: false }]);
  expect(await queue.getSchedule(id)).toMatchObject({ nextAt: null });
  expect(await queue.nextTimes(id)).toEqual([]);
});

test('[Q13] after a long downtime a schedule fires once, marked as missed', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-08-01T00:00Z');
  expect(await fireDueTicks(store)).toBe(1);
  expect(await fireDueTicks(store)).toBe(0);
  expect(await ticksOf(store)).toMatchObject([{ at: at('2026-05-01T12:00Z'), missed: true }]);
  expect(await queue.nextTimes('s', 2)).toEqual([at('2026-08-01T12:00Z'), at('2026-08-02T12:00Z')]);
});

test('[Q13] a paused schedule does not fire, and does not catch up afterwards', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-05-01T12:00Z');
  // Due, but not fired yet.
  expect(await queue.pauseSchedule('s')).toMatchObject({ paused: true, nextAt: null });
  await queue.pauseSchedule('s');
  expect(await fireDueTicks(store)).toBe(0);
  expect(await queue.nextTimes('s')).toEqual([]);
  clock.set('2026-05-04T13:00Z');
  expect(await fireDueTicks(store)).toBe(0);
  expect(await queue.resumeSchedule('s')).toMatchObject({ nextAt: at('2026-05-05T12:00Z') });
  await queue.resumeSchedule('s');
  expect(await fireDueTicks(store)).toBe(0);
  clock.set('2026-05-05T12:00Z');
  expect(await fireDueTicks(store)).toBe(1);
  expect(await ticksOf(store)).toMatchObject([{ missed: false }]);
});

test('[Q13] a schedule whose time passed during its pause cannot be resumed', async () => {
  const { clock, queue } = setUp();
  await queue.schedule({ id: 's', at: at('2026-05-01T11:00Z'), type: 'any', paused: true });
  clock.set('2026-05-01T12:00Z');
  await expect(queue.resumeSchedule('s')).rejects.toThrow('at: has passed');
  await queue.editSchedule('s', { payload: 2 });
  const edited = await queue.editSchedule('s', { at: at('2026-05-01T13:00Z') });
  expect(edited).toMatchObject({ nextAt: null, payload: 2 });
  expect(await queue.resumeSchedule('s')).toMatchObject({ nextAt: at('2026-05-01T13:00Z') });
});

test('[Q13] an edit changes only the given fields; a due tick fires with them', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule({ ...daily, lane: 'l', payload: 1 });
  clock.set('2026-05-01T12:00Z');
  await queue.editSchedule('s', { payload: 2, lane: null });
  expect(await fireDueTicks(store)).toBe(1);
  const [run] = await queue.list();
  expect(run).toMatchObject({ payload: 2 });
  expect(run?.lane).toBe(run?.id);
});

test('[Q13] new times apply from now on and drop a due tick', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-05-01T12:30Z');
  await queue.editSchedule('s', { timezone: 'Europe/Berlin' });
  expect(await fireDueTicks(store)).toBe(0);
  expect(await queue.nextTimes('s', 1)).toEqual([at('2026-05-02T10:00Z')]);
  const once = await queue.editSchedule('s', { at: at('2026-06-01T00:00Z') });
  expect(once).toMatchObject({ cron: null, nextAt: at('2026-06-01T00:00Z') });
  expect(await queue.editSchedule('s', { cron: '@daily', timezone: 'UTC' })).toMatchObject({
    at: null,
    nextAt: at('2026-05-02T00:00Z'),
  });
});

test('[Q13] new times keep the time zone unless the edit names another', async () => {
  const { queue, daily } = setUp();
  await queue.schedule({ ...daily, timezone: 'Asia/Tokyo' });
  expect(await queue.editSchedule('s', { cron: '0 9 * * *' })).toMatchObject({
    timezone: 'Asia/Tokyo',
    nextAt: at('2026-05-02T09:00+09:00'),
  });
});

test('[Q13] a program may declare its schedules at every start', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-05-01T12:30Z');
  // The tick it missed while it was down is still due.
  await queue.schedule({ ...daily, payload: 'new' });
  expect(await fireDueTicks(store)).toBe(1);
  expect((await queue.list())[0]?.payload).toBe('new');
  await queue.pauseSchedule('s');
  expect(await queue.schedule(daily)).toMatchObject({ paused: true });
  expect(await queue.schedule({ ...daily, paused: false })).toMatchObject({ paused: false });
  const once = { id: 'once', at: clock.now + 1, type: 'any' };
  await queue.schedule(once);
  clock.now += 1;
  expect(await fireDueTicks(store)).toBe(1);
  expect(await queue.schedule(once)).toMatchObject({ nextAt: null });
  expect((await queue.schedules()).map(({ id }) => id)).toEqual(['once', 's']);
});

test('[Q13] a clock that is set back does not fire a tick again', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-05-01T12:00Z');
  expect(await fireDueTicks(store)).toBe(1);
  clock.set('2026-05-01T11:00Z');
  await queue.pauseSchedule('s');
  expect(await queue.resumeSchedule('s')).toMatchObject({ nextAt: at('2026-05-02T12:00Z') });
});

test('[Q13] nor do new times fire it again', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-05-01T12:00Z');
  expect(await fireDueTicks(store)).toBe(1);
  clock.set('2026-05-01T11:00Z');
  const edited = await queue.editSchedule('s', { cron: '0 12 * * 0-6' });
  expect(edited).toMatchObject({ nextAt: at('2026-05-02T12:00Z') });
});

test('[Q13] concurrent changes all take effect', async () => {
  const { queue, daily } = setUp();
  await queue.schedule(daily);
  await Promise.all([
    queue.editSchedule('s', { payload: 'p' }),
    queue.editSchedule('s', { lane: 'l' }),
    queue.editSchedule('s', { owner: 'ann' }),
    queue.pauseSchedule('s'),
  ]);
  const expected = { payload: 'p', lane: 'l', owner: 'ann', paused: true };
  expect(await queue.getSchedule('s')).toMatchObject(expected);
});

test('[Q13] removing a schedule keeps its runs', async () => {
  const { clock, store, queue, daily } = setUp();
  await queue.schedule(daily);
  clock.set('2026-05-01T12:00Z');
  await fireDueTicks(store);
  await queue.removeSchedule('s');
  expect(await queue.getSchedule('s')).toBe(null);
  expect(await queue.counts()).toMatchObject({ queued: 1 });
});

test('[Q13] a time of day fires once in the night when clocks go back', async () => {
  const { clock, store, queue } = setUp('2026-10-24T12:00Z');
  await queue.schedule({ cron: '30 2 * * *', timezone: 'Europe/Berlin', type: 'any' });
  const end = at('2026-10-26T12:00Z');
  while (clock.now < end) {
    clock.now += 600_000;
    await fireDueTicks(store);
  }
  expect(await timesOf(store)).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
});

test.each<[string, unknown, string, string]>([
  ['an unknown type', { cron: '@daily', type: 'nobody' }, 'unknown_type', 'type'],
  ['a payload that does not fit', { cron: '@daily', type: 'mail' }, 'invalid_payload', 'payload'],
  ['neither cron nor at', { type: 'any' }, 'invalid_request', 'cron'],
  ['both', { cron: '@daily', at: 4e12, type: 'any' }, 'invalid_request', 'at'],
  ['a time that has passed', { at: 5, type: 'any' }, 'invalid_request', 'at'],
  ['a time far away', { at: 4e15, type: 'any' }, 'invalid_request', 'at'],
  ['a wrong expression', { cron: '61 * * * *', type: 'any' }, 'invalid_request', 'cron'],
  ['one that never fires', { cron: '0 0 30 2 *', type: 'any' }, 'invalid_request', 'cron'],
  ['a wrong zone', { cron: '@daily', timezone: 'X', type: 'any' }, 'invalid_request', 'timezone'],
  [
    'a wrong zone with at',
    { at: 1.9e12, timezone: 'X', type: 'any' },
    'invalid_request',
    'timezone',
  ],
  ['an unknown field', { cron: '@daily', every: 1, type: 'any' }, 'invalid_request', 'every'],
  ['an empty id', { id: '', cron: '@daily', type: 'any' }, 'invalid_request', 'id'],
  [
    'no attempts',
    { cron: '@daily', type: 'any', maxAttempts: 0 },
    'invalid_request',
    'maxAttempts',
  ],
  ['a big integer', { cron: '@daily', type: 'any', payload: 1n }, 'invalid_request', 'payload'],
])('[Q13] a schedule with %s is refused, naming the field', async (_, request, code, field) => {
  const { queue } = setUp();
  await expect(queue.schedule(request as ScheduleRequest)).rejects.toMatchObject({
    code,
    details: { field },
  });
  expect(await queue.schedules()).toEqual([]);
});

test.each<[ScheduleChanges, string]>([
  [{ type: 'mail' }, 'invalid_payload'],
  [{ type: 'nobody' }, 'unknown_type'],
  [{ cron: '61 * * * *' }, 'invalid_request'],
  [{ cron: '@daily', at: 4e12 }, 'invalid_request'],
  [{ timezone: 'X' }, 'invalid_request'],
  [{ at: 5 }, 'invalid_request'],
  [{ id: 'other' } as ScheduleChanges, 'invalid_request'],
])('[Q13] the edit %j is refused and changes nothing', async (changes, code) => {
  const { queue, daily } = setUp();
  const before = await queue.schedule(daily);
  await expect(queue.editSchedule('s', changes)).rejects.toMatchObject({ code });
  expect(await queue.getSchedule('s')).toEqual(before);
});

test('[Q13] an unknown schedule cannot be changed', async () => {
  const { queue } = setUp();
  const gone = { code: 'not_found' };
  for (const id of ['x', '', 'a\0']) {
    await expect(queue.editSchedule(id, {})).rejects.toMatchObject(gone);
    await expect(queue.pauseSchedule(id)).rejects.toMatchObject(gone);
    await expect(queue.resumeSchedule(id)).rejects.toMatchObject(gone);
    await expect(queue.removeSchedule(id)).rejects.toMatchObject(gone);
    await expect(queue.nextTimes(id)).rejects.toMatchObject(gone);
    expect(await queue.getSchedule(id)).toBe(null);
  }
  await expect(queue.nextTimes('x', 0)).rejects.toMatchObject({ code: 'invalid_request' });
});
