import type { Schedule } from '../../contract/schedule.ts';
import type { Json } from '../../contract/values/json.ts';
import { SCHEDULES } from '../hint.ts';
import type { DueSchedules, Firing, ScheduleStore, ScheduleWrite } from '../store.ts';
import { enqueue } from './admit.ts';
import type { Tables } from './tables.ts';

/** The payload is kept as text, so callers cannot modify stored data. */
export type ScheduleRecord = Omit<Schedule, 'payload'> & { readonly payload: string };

export function putSchedule(
  tables: Tables,
  schedule: ScheduleWrite,
  expected: string | null,
): Schedule | null {
  const known = tables.schedules.get(schedule.id);
  if (known?.version === schedule.version) return toSchedule(known);
  if ((known?.version ?? null) !== expected) return null;
  const now = tables.clock();
  const record: ScheduleRecord = {
    ...schedule,
    lastAt: known?.lastAt ?? null,
    lastRunId: known?.lastRunId ?? null,
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  };
  tables.schedules.set(record.id, record);
  tables.hints.noteTopic(SCHEDULES);
  return toSchedule(record);
}

export function removeSchedule(tables: Tables, id: string): boolean {
  const removed = tables.schedules.delete(id);
  if (removed) tables.hints.noteTopic(SCHEDULES);
  return removed;
}

export function listSchedules(
  tables: Tables,
  { owner, after, limit }: Parameters<ScheduleStore['listSchedules']>[0],
): Schedule[] {
  return [...tables.schedules.values()]
    .filter((one) => owner === undefined || one.owner === owner)
    .filter((one) => after === undefined || one.id > after)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit)
    .map(toSchedule);
}

/** Scans all schedules, because a single-process program has few. */
export function dueSchedules(
  tables: Tables,
  { limit, after }: Parameters<ScheduleStore['dueSchedules']>[0],
): DueSchedules {
  const now = tables.clock();
  const timed = [...tables.schedules.values()]
    .flatMap((record) => (record.nextAt === null ? [] : [{ record, at: record.nextAt }]))
    .sort((a, b) => a.at - b.at || (a.record.id < b.record.id ? -1 : 1));
  const due = timed
    .filter(({ at }) => at <= now)
    .filter(
      ({ at, record }) =>
        after === null || at > after.nextAt || (at === after.nextAt && record.id > after.id),
    );
  return {
    now,
    due: due.slice(0, limit).map(({ record }) => toSchedule(record)),
    nextAt: timed.find(({ at }) => at > now)?.at ?? null,
  };
}

export function fireSchedule(tables: Tables, firing: Firing): boolean {
  const record = tables.schedules.get(firing.id);
  if (record?.version === firing.admission.id) return true;
  if (record?.version !== firing.version) return false;
  const now = tables.clock();
  if (record.nextAt === null || record.nextAt > now) return false;
  // The run is admitted first: if it is refused, the schedule stays as it is.
  enqueue(tables, [firing.admission]);
  tables.schedules.set(record.id, {
    ...record,
    nextAt: firing.nextAt,
    lastAt: record.nextAt,
    lastRunId: firing.admission.id,
    version: firing.admission.id,
    updatedAt: now,
  });
  return true;
}

export const toSchedule = (record: ScheduleRecord): Schedule => ({
  ...record,
  payload: JSON.parse(record.payload) as Json,
});
