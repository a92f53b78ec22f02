import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fireDueTicks,
  scheduleQueue,
  TestClock,
  ticksOf,
} from '../../../test/support/schedule-rig.ts';
import { memoryStore } from '../memory/store.ts';
import { cronTimes } from './schedule-times.ts';

const MINUTE = 60_000;
const field = (low: number, high: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    fc.integer({ min: low, max: high }).map(String),
    fc.integer({ min: 2, max: high - low }).map((step) => `*/${step}`),
    fc
      .uniqueArray(fc.integer({ min: low, max: high }), { minLength: 2, maxLength: 3 })
      .map((values) => values.join(',')),
  );
const cron = fc
  .tuple(field(0, 59), field(0, 23), fc.constantFrom('*', '1', '15', 'L'), field(1, 12))
  .map(([minute, hour, day, month]) => `${minute} ${hour} ${day} ${month} *`);
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
const jump = fc.oneof(
  fc.integer({ min: 0, max: 90 * MINUTE }),
  fc.integer({ min: 0, max: 400 * 1440 * MINUTE }),
);

test('[Q13] for any expression and any clock jumps, a pass fires one tick', async () => {
  await fc.assert(
    fc.asyncProperty(
      cron,
      zone,
      fc.constantFrom('2026-03-28T22:17:03Z', '2026-10-24T21:59:59Z', '2028-02-28T12:00:00Z'),
      fc.array(jump, { minLength: 1, maxLength: 12 }),
      async (expression, timezone, start, jumps) => {
        const clock = new TestClock(start);
        const store = memoryStore({ clock: clock.read });
        const queue = scheduleQueue(store);
        const times = cronTimes(expression, timezone);
        const { id } = await queue.schedule({ cron: expression, timezone, type: 'any' });
        let expected = times.next(clock.now);
        const wanted: { at: number; missed: boolean }[] = [];
        for (const ms of jumps) {
          clock.now += ms;
          const due = expected !== null && expected <= clock.now;
          if (due) {
            const following = times.next(expected as number);
            const missed = following !== null && following <= clock.now;
            wanted.push({ at: expected as number, missed });
            expected = times.next(clock.now);
          }
          expect(await fireDueTicks(store)).toBe(due ? 1 : 0);
          expect(await fireDueTicks(store)).toBe(0);
          const nextAt = (await queue.getSchedule(id))?.nextAt;
          expect(nextAt).toBe(expected);
          expect(nextAt).toBeGreaterThan(clock.now);
        }
        expect(await ticksOf(store)).toMatchObject(wanted);
        await store.close();
      },
    ),
    { numRuns: 200 },
  );
});
