import { expect } from 'vitest';
import type { Schedule } from '../../contract/schedule.ts';
import { newId } from '../../contract/values/ids.ts';
import { READY, SCHEDULES } from '../hint.ts';
import type { Firing, ScheduleWrite } from '../store.ts';
import { admission, type NewRun, type Rig, type Rule, refused, START } from './rig.ts';

const MINUTE = 60_000;

export const scheduleWrite = (rest: Partial<ScheduleWrite> = {}): ScheduleWrite => ({
  id: 's',
  cron: '* * * * *',
  timezone: 'UTC',
  at: null,
  type: 'task',
  payload: '{"a":[1,"\\u0000ü"]}',
  lane: null,
  owner: '',
  maxAttempts: 5,
  paused: false,
  nextAt: START + MINUTE,
  version: newId(),
  ...rest,
});

const put = async (rig: Rig, rest: Partial<ScheduleWrite> = {}): Promise<Schedule> => {
  const stored = await rig.store.putSchedule(scheduleWrite(rest), null);
  expect(stored, 'stored').not.toBeNull();
  return stored as Schedule;
};

const firing = (schedule: Schedule, rest: Partial<Firing> = {}, run: NewRun = {}): Firing => ({
  id: schedule.id,
  version: schedule.version,
  nextAt: (schedule.nextAt ?? 0) + MINUTE,
  admission: admission(run),
  ...rest,
});

const dueIds = async (rig: Rig): Promise<string[]> =>
  (await rig.store.dueSchedules({ limit: 100, after: null })).due.map(({ id }) => id);

/** Schedules (Q13): they are stored, their ticks become due, and each tick fires once. */
export function scheduleRules(rule: Rule): void {
  rule('[Q13] a schedule is stored, read, listed and removed', async (rig) => {
    const written = scheduleWrite({ id: 'b', owner: 'ann', lane: 'l', timezone: 'Asia/Tokyo' });
    const stored = await rig.store.putSchedule(written, null);
    expect(stored).toEqual({
      ...written,
      payload: { a: [1, '\0ü'] },
      lastAt: null,
      lastRunId: null,
      createdAt: START,
      updatedAt: START,
    });
    expect(await rig.store.getSchedule('b')).toEqual(stored);
    await put(rig, { id: 'a', cron: null, at: START + 5, nextAt: START + 5 });
    await put(rig, { id: 'c', paused: true, nextAt: null });
    const ids = async (filter: { owner?: string; after?: string; limit?: number }) =>
      (await rig.store.listSchedules({ limit: 10, ...filter })).map(({ id }) => id);
    expect(await ids({})).toEqual(['a', 'b', 'c']);
    expect(await ids({ limit: 2 })).toEqual(['a', 'b']);
    expect(await ids({ after: 'a', limit: 1 })).toEqual(['b']);
    expect(await ids({ owner: 'ann' })).toEqual(['b']);
    expect(await rig.store.removeSchedule('b')).toBe(true);
    expect(await rig.store.removeSchedule('b')).toBe(false);
    expect(await rig.store.getSchedule('b')).toBeNull();
    expect(await rig.store.time()).toBe(START);
  });

  rule(
    '[Q13] a schedule is replaced only if it still has the version that was read',
    async (rig) => {
      const first = await put(rig);
      expect(await rig.store.putSchedule(scheduleWrite({ type: 'other' }), null)).toBeNull();
      expect(await rig.store.putSchedule(scheduleWrite({ type: 'other' }), newId())).toBeNull();
      expect(await rig.store.getSchedule('s')).toEqual(first);
      rig.advance(1000);
      const write = scheduleWrite({ type: 'other', nextAt: START + 5000 });
      const second = await rig.store.putSchedule(write, first.version);
      expect(second).toMatchObject({ type: 'other', createdAt: START, updatedAt: START + 1000 });
      // Repeated because the answer was lost.
      expect(await rig.store.putSchedule(write, first.version)).toEqual(second);
      expect(await rig.store.putSchedule(scheduleWrite({ id: 'x' }), newId())).toBeNull();
    },
  );

  rule('[Q13] creating a schedule again because the answer was lost creates one', async (rig) => {
    const write = scheduleWrite();
    const first = await rig.store.putSchedule(write, null);
    expect(await rig.store.putSchedule(write, null)).toEqual(first);
  });

  rule(
    '[Q13] due schedules are listed by time, in pages, with the time of the next tick',
    async (rig) => {
      for (const [id, ms] of Object.entries({ c: 10, a: 20, b: 20, later: 500 })) {
        await put(rig, { id, nextAt: START + ms });
      }
      await put(rig, { id: 'paused', paused: true, nextAt: null });
      expect(await rig.store.dueSchedules({ limit: 9, after: null })).toEqual({
        now: START,
        due: [],
        nextAt: START + 10,
      });
      rig.advance(20);
      expect(await dueIds(rig)).toEqual(['c', 'a', 'b']);
      const page = await rig.store.dueSchedules({ limit: 2, after: null });
      expect(page.due.map(({ id }) => id)).toEqual(['c', 'a']);
      expect(page.nextAt).toBe(START + 500);
      const after = { nextAt: START + 20, id: 'a' };
      const rest = await rig.store.dueSchedules({ limit: 2, after });
      expect(rest.due.map(({ id }) => id)).toEqual(['b']);
      rig.advance(1000);
      expect(await rig.store.dueSchedules({ limit: 1, after: null })).toMatchObject({
        nextAt: null,
      });
    },
  );

  rule('[Q13] a tick creates a run and advances the schedule atomically', async (rig) => {
    const schedule = await put(rig);
    rig.advance(MINUTE + 7);
    await rig.node();
    const tick = { schedule: 's', at: START + MINUTE, missed: false };
    const hint = rig.hintOf(READY);
    const one = firing(schedule, {}, { lane: 'l', owner: 'ann', payload: { n: 1 }, tick });
    expect(await rig.store.fireSchedule(one)).toBe(true);
    await hint;
    const run = one.admission.id;
    expect(await rig.store.getSchedule('s')).toEqual({
      ...schedule,
      nextAt: START + 2 * MINUTE,
      lastAt: START + MINUTE,
      lastRunId: run,
      version: run,
      updatedAt: rig.now,
    });
    expect(await rig.run(run)).toMatchObject({ lane: 'l', owner: 'ann', payload: { n: 1 } });
    const [queued] = await rig.store.listAfter('l', 0, 10);
    expect(queued).toMatchObject({ type: 'run.queued', payload: { type: 'task', tick } });
    expect(await rig.claimIds()).toEqual([run]);
    expect(await dueIds(rig)).toEqual([]);
  });

  rule('[Q13] a tick fires once, however many nodes try and how often', async (rig) => {
    const schedule = await put(rig);
    rig.advance(MINUTE);
    const firings = Array.from({ length: 8 }, () => firing(schedule));
    const answers = await Promise.all(firings.map((one) => rig.store.fireSchedule(one)));
    expect(answers.filter((fired) => fired)).toHaveLength(1);
    const winner = firings[answers.indexOf(true)] as Firing;
    // Repeated because the answer was lost.
    expect(await rig.store.fireSchedule(winner)).toBe(true);
    expect(await rig.counts()).toEqual({ queued: 1 });
    expect((await rig.store.getSchedule('s'))?.lastRunId).toBe(winner.admission.id);
  });

  rule('[Q13] a tick that is not due, changed, paused or removed does not fire', async (rig) => {
    const schedule = await put(rig);
    expect(await rig.store.fireSchedule(firing(schedule))).toBe(false);
    rig.advance(MINUTE);
    const edited = await rig.store.putSchedule(scheduleWrite({ type: 'other' }), schedule.version);
    expect(await rig.store.fireSchedule(firing(schedule))).toBe(false);
    const paused = scheduleWrite({ paused: true, nextAt: null });
    const stored = await rig.store.putSchedule(paused, (edited as Schedule).version);
    expect(await rig.store.fireSchedule(firing(stored as Schedule))).toBe(false);
    expect(await dueIds(rig)).toEqual([]);
    await rig.store.removeSchedule('s');
    expect(await rig.store.fireSchedule(firing(stored as Schedule))).toBe(false);
    expect(await rig.counts()).toEqual({});
  });

  rule('[Q13] if the run is refused, its tick stays due', async (rig) => {
    const schedule = await put(rig);
    rig.advance(MINUTE);
    const taken = await rig.enqueue();
    const clash = firing(schedule, {}, { id: taken.id });
    await expect(rig.store.fireSchedule(clash)).rejects.toThrow();
    const busy = await rig.enqueue({ lane: 'l' });
    const picky = firing(schedule, {}, { lane: busy.lane, onBusy: 'reject' });
    await expect(rig.store.fireSchedule(picky)).rejects.toEqual(refused('lane_busy'));
    expect(await rig.store.getSchedule('s')).toEqual(schedule);
    expect(await dueIds(rig)).toEqual(['s']);
  });

  rule('[Q13] after the last tick there is no next one', async (rig) => {
    const at = START + 1;
    const schedule = await put(rig, { cron: null, at, nextAt: at });
    rig.advance(1);
    expect(await rig.store.fireSchedule(firing(schedule, { nextAt: null }))).toBe(true);
    rig.advance(MINUTE);
    expect(await dueIds(rig)).toEqual([]);
    expect(await rig.store.getSchedule('s')).toMatchObject({ nextAt: null, lastAt: at });
  });

  rule('[Q13] runs of a schedule with a lane are queued in the order of its ticks', async (rig) => {
    let schedule = await put(rig, { lane: 'l' });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      rig.now = schedule.nextAt as number;
      const one = firing(schedule, {}, { lane: 'l' });
      ids.push(one.admission.id);
      expect(await rig.store.fireSchedule(one)).toBe(true);
      schedule = (await rig.store.getSchedule('s')) as Schedule;
    }
    expect(await rig.queued('l')).toEqual(ids);
    await rig.node();
    expect(await rig.claimIds()).toEqual(ids.slice(0, 1));
  });

  rule('[Q13] changes of schedules send hints', async (rig) => {
    const nextHint = () => rig.hintOf(SCHEDULES);
    let hint = nextHint();
    const { version } = await put(rig);
    await hint;
    hint = nextHint();
    await rig.store.putSchedule(scheduleWrite({ nextAt: START + 1 }), version);
    await hint;
    hint = nextHint();
    await rig.store.removeSchedule('s');
    await hint;
  });
}
