import { expect } from 'vitest';
import { newId } from '../../contract/ids.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Firing, ScheduleWrite } from '../store.ts';
import { admission, type Bench, type NewRun, type Rule, refused, START } from './rig.ts';

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

const put = async (b: Bench, rest: Partial<ScheduleWrite> = {}): Promise<Schedule> => {
  const stored = await b.store.putSchedule(scheduleWrite(rest), null);
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

const dueIds = async (b: Bench): Promise<string[]> =>
  (await b.store.dueSchedules({ limit: 100, after: null })).due.map(({ id }) => id);

/** Schedules (Q13): what is stored, what is due, and that a tick fires once. */
export function scheduleRules(rule: Rule): void {
  rule('[Q13] a schedule is stored, read, listed and removed', async (b) => {
    const written = scheduleWrite({ id: 'b', owner: 'ann', lane: 'l', timezone: 'Asia/Tokyo' });
    const stored = await b.store.putSchedule(written, null);
    expect(stored).toEqual({
      ...written,
      payload: { a: [1, '\0ü'] },
      lastAt: null,
      lastRunId: null,
      createdAt: START,
      updatedAt: START,
    });
    expect(await b.store.getSchedule('b')).toEqual(stored);
    await put(b, { id: 'a', cron: null, at: START + 5, nextAt: START + 5 });
    await put(b, { id: 'c', paused: true, nextAt: null });
    const ids = async (filter: { owner?: string; after?: string; limit?: number }) =>
      (await b.store.listSchedules({ limit: 10, ...filter })).map(({ id }) => id);
    expect(await ids({})).toEqual(['a', 'b', 'c']);
    expect(await ids({ limit: 2 })).toEqual(['a', 'b']);
    expect(await ids({ after: 'a', limit: 1 })).toEqual(['b']);
    expect(await ids({ owner: 'ann' })).toEqual(['b']);
    expect(await b.store.removeSchedule('b')).toBe(true);
    expect(await b.store.removeSchedule('b')).toBe(false);
    expect(await b.store.getSchedule('b')).toBeNull();
    expect(await b.store.time()).toBe(START);
  });

  rule('[Q13] a schedule is replaced only in the version that was looked at', async (b) => {
    const first = await put(b);
    expect(await b.store.putSchedule(scheduleWrite({ type: 'other' }), null)).toBeNull();
    expect(await b.store.putSchedule(scheduleWrite({ type: 'other' }), newId())).toBeNull();
    expect(await b.store.getSchedule('s')).toEqual(first);
    b.advance(1000);
    const write = scheduleWrite({ type: 'other', nextAt: START + 5000 });
    const second = await b.store.putSchedule(write, first.version);
    expect(second).toMatchObject({ type: 'other', createdAt: START, updatedAt: START + 1000 });
    // Its answer was lost, and it came again.
    expect(await b.store.putSchedule(write, first.version)).toEqual(second);
    expect(await b.store.putSchedule(scheduleWrite({ id: 'x' }), newId())).toBeNull();
  });

  rule('[Q13] making the same schedule again because the answer was lost makes one', async (b) => {
    const write = scheduleWrite();
    const first = await b.store.putSchedule(write, null);
    expect(await b.store.putSchedule(write, null)).toEqual(first);
  });

  rule('[Q13] what is due comes by time, in pages, with the time of the next tick', async (b) => {
    for (const [id, ms] of Object.entries({ c: 10, a: 20, b: 20, later: 500 })) {
      await put(b, { id, nextAt: START + ms });
    }
    await put(b, { id: 'paused', paused: true, nextAt: null });
    expect(await b.store.dueSchedules({ limit: 9, after: null })).toEqual({
      now: START,
      due: [],
      nextAt: START + 10,
    });
    b.advance(20);
    expect(await dueIds(b)).toEqual(['c', 'a', 'b']);
    const page = await b.store.dueSchedules({ limit: 2, after: null });
    expect(page.due.map(({ id }) => id)).toEqual(['c', 'a']);
    expect(page.nextAt).toBe(START + 500);
    const after = { nextAt: START + 20, id: 'a' };
    const rest = await b.store.dueSchedules({ limit: 2, after });
    expect(rest.due.map(({ id }) => id)).toEqual(['b']);
    b.advance(1000);
    expect(await b.store.dueSchedules({ limit: 1, after: null })).toMatchObject({ nextAt: null });
  });

  rule('[Q13] a tick makes a run and moves the schedule on, in one step', async (b) => {
    const schedule = await put(b);
    b.advance(MINUTE + 7);
    await b.node();
    const tick = { schedule: 's', at: START + MINUTE, missed: false };
    const hint = b.hint(({ ready }) => ready);
    const one = firing(schedule, {}, { lane: 'l', owner: 'ann', payload: { n: 1 }, tick });
    expect(await b.store.fireSchedule(one)).toBe(true);
    await hint;
    const run = one.admission.id;
    expect(await b.store.getSchedule('s')).toEqual({
      ...schedule,
      nextAt: START + 2 * MINUTE,
      lastAt: START + MINUTE,
      lastRunId: run,
      version: run,
      updatedAt: b.now,
    });
    expect(await b.run(run)).toMatchObject({ lane: 'l', owner: 'ann', payload: { n: 1 } });
    const [queued] = await b.store.listAfter('l', 0, 10);
    expect(queued).toMatchObject({ type: 'run.queued', payload: { type: 'task', tick } });
    expect(await b.claimIds()).toEqual([run]);
    expect(await dueIds(b)).toEqual([]);
  });

  rule('[Q13] a tick fires once, whoever asks and however often', async (b) => {
    const schedule = await put(b);
    b.advance(MINUTE);
    const firings = Array.from({ length: 8 }, () => firing(schedule));
    const answers = await Promise.all(firings.map((one) => b.store.fireSchedule(one)));
    expect(answers.filter((fired) => fired)).toHaveLength(1);
    const winner = firings[answers.indexOf(true)] as Firing;
    // Its answer was lost, and it came again.
    expect(await b.store.fireSchedule(winner)).toBe(true);
    expect(await b.counts()).toEqual({ queued: 1 });
    expect((await b.store.getSchedule('s'))?.lastRunId).toBe(winner.admission.id);
  });

  rule('[Q13] a tick that is not due, changed, paused or removed does not fire', async (b) => {
    const schedule = await put(b);
    expect(await b.store.fireSchedule(firing(schedule))).toBe(false);
    b.advance(MINUTE);
    const edited = await b.store.putSchedule(scheduleWrite({ type: 'other' }), schedule.version);
    expect(await b.store.fireSchedule(firing(schedule))).toBe(false);
    const paused = scheduleWrite({ paused: true, nextAt: null });
    const stored = await b.store.putSchedule(paused, (edited as Schedule).version);
    expect(await b.store.fireSchedule(firing(stored as Schedule))).toBe(false);
    expect(await dueIds(b)).toEqual([]);
    await b.store.removeSchedule('s');
    expect(await b.store.fireSchedule(firing(stored as Schedule))).toBe(false);
    expect(await b.counts()).toEqual({});
  });

  rule('[Q13] a run that is refused leaves its tick due', async (b) => {
    const schedule = await put(b);
    b.advance(MINUTE);
    const taken = await b.enqueue();
    const clash = firing(schedule, {}, { id: taken.id });
    await expect(b.store.fireSchedule(clash)).rejects.toThrow();
    const busy = await b.enqueue({ lane: 'l' });
    const picky = firing(schedule, {}, { lane: busy.lane, onBusy: 'reject' });
    await expect(b.store.fireSchedule(picky)).rejects.toEqual(refused('lane_busy'));
    expect(await b.store.getSchedule('s')).toEqual(schedule);
    expect(await dueIds(b)).toEqual(['s']);
  });

  rule('[Q13] the last tick leaves none', async (b) => {
    const at = START + 1;
    const schedule = await put(b, { cron: null, at, nextAt: at });
    b.advance(1);
    expect(await b.store.fireSchedule(firing(schedule, { nextAt: null }))).toBe(true);
    b.advance(MINUTE);
    expect(await dueIds(b)).toEqual([]);
    expect(await b.store.getSchedule('s')).toMatchObject({ nextAt: null, lastAt: at });
  });

  rule('[Q13] runs of a schedule with a lane queue up in the order of its ticks', async (b) => {
    let schedule = await put(b, { lane: 'l' });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      b.now = schedule.nextAt as number;
      const one = firing(schedule, {}, { lane: 'l' });
      ids.push(one.admission.id);
      expect(await b.store.fireSchedule(one)).toBe(true);
      schedule = (await b.store.getSchedule('s')) as Schedule;
    }
    expect(await b.queued('l')).toEqual(ids);
    await b.node();
    expect(await b.claimIds()).toEqual(ids.slice(0, 1));
  });

  rule('[Q13] a change of schedules is told', async (b) => {
    const told = () => b.hint(({ schedules }) => schedules === true);
    let hint = told();
    const { version } = await put(b);
    await hint;
    hint = told();
    await b.store.putSchedule(scheduleWrite({ nextAt: START + 1 }), version);
    await hint;
    hint = told();
    await b.store.removeSchedule('s');
    await hint;
  });
}
