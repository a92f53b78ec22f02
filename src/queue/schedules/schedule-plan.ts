import { DELAY_MAX_MS, type RunRequest } from '../../contract/run.ts';
import type { Schedule, ScheduleChanges, ScheduleRequest } from '../../contract/schedule.ts';
import { newId } from '../../contract/values/ids.ts';
import { admissionOf } from '../admission.ts';
import type { Handlers } from '../handlers.ts';
import type { ScheduleWrite } from '../store.ts';
import { cronTimes, wrong } from './schedule-times.ts';

/* Computes a schedule's next version from a request, its current version and the store's time. */

type Timing = Pick<Schedule, 'cron' | 'timezone' | 'at'>;

/** A new schedule, or a replacement for the one with the same id. */
export function requested(
  request: ScheduleRequest,
  current: Schedule | null,
  handlers: Handlers,
  now: number,
): ScheduleWrite {
  const { id, cron, timezone, at, paused, ...run } = request;
  return {
    ...templateOf(run, handlers, now),
    ...timed({ cron, timezone, at }, current, paused ?? current?.paused ?? false, now),
    id: id ?? newId(),
  };
}

export function edited(
  changes: ScheduleChanges,
  current: Schedule,
  handlers: Handlers,
  now: number,
): ScheduleWrite {
  const { cron, timezone = current.timezone, at, lane = current.lane, ...rest } = changes;
  const { type, payload, owner, maxAttempts } = { ...current, ...rest };
  const run = { type, payload, owner, maxAttempts, ...(lane === null ? {} : { lane }) };
  const kept = { cron: current.cron ?? undefined, at: current.at ?? undefined };
  const given = cron !== undefined || at !== undefined ? { cron, at } : kept;
  return {
    ...templateOf(run as RunRequest, handlers, now),
    ...timed({ ...given, timezone }, current, current.paused, now),
    id: current.id,
  };
}

export function pausedOf(current: Schedule): ScheduleWrite {
  return { ...written(current), paused: true, nextAt: null };
}

/** Continues with the next tick from now; ticks that passed during the pause are skipped. */
export function resumedOf(current: Schedule, now: number): ScheduleWrite {
  const nextAt = current.paused ? firstAfter(current, now, current) : current.nextAt;
  return { ...written(current), paused: false, nextAt };
}

/** The first tick after the given time, or null if the schedule has fired its last tick. */
export const tickAfter = ({ cron, timezone }: Timing, after: number): number | null =>
  cron === null ? null : cronTimes(cron, timezone).next(after);

function templateOf(run: RunRequest, handlers: Handlers, now: number) {
  const { type, payload, lane, owner, maxAttempts } = admissionOf(run, handlers, now, '');
  return { type, payload, lane, owner, maxAttempts, version: newId() };
}

type GivenTiming = Pick<ScheduleRequest, 'cron' | 'timezone' | 'at'>;

/** If the times stay the same, a due tick stays due. */
function timed(given: GivenTiming, current: Schedule | null, paused: boolean, now: number) {
  const timing = timingOf(given);
  const same = current?.paused === paused && sameTiming(timing, current);
  if (same) return { ...timing, paused, nextAt: current.nextAt };
  const nextAt = firstAfter(timing, now, current);
  return { ...timing, paused, nextAt: paused ? null : nextAt };
}

function timingOf({ cron, timezone = 'UTC', at }: GivenTiming): Timing {
  if (cron !== undefined && at !== undefined) throw wrong('at', 'give either cron or at');
  if (cron === undefined && at === undefined) throw wrong('cron', 'give cron or at');
  // Also refuses an invalid time zone given with `at`.
  cronTimes(cron ?? '@daily', timezone);
  return { cron: cron?.trim() ?? null, timezone, at: at ?? null };
}

/** Throws if there is no tick: a schedule that can never fire is a mistake. */
function firstAfter(timing: Timing, now: number, current: Schedule | null): number {
  // Setting the clock back must not make the same tick fire twice.
  const after = Math.max(now, current?.lastAt ?? now);
  if (timing.at !== null) {
    if (timing.at <= after) throw wrong('at', 'has passed');
    if (timing.at - now > DELAY_MAX_MS) throw wrong('at', 'is more than ten years away');
    return timing.at;
  }
  const next = tickAfter(timing, after);
  if (next === null) throw wrong('cron', `"${timing.cron}" never fires`);
  return next;
}

const sameTiming = (a: Timing, b: Timing): boolean =>
  a.cron === b.cron && a.timezone === b.timezone && a.at === b.at;

function written(current: Schedule): ScheduleWrite {
  const { createdAt: _c, updatedAt: _u, lastAt: _a, lastRunId: _r, ...rest } = current;
  return { ...rest, payload: JSON.stringify(current.payload), version: newId() };
}
