import type { Schedule } from '../../contract/schedule.ts';
import { SCHEDULES } from '../../queue/hint.ts';
import type { DueSchedules, Firing, ScheduleStore, ScheduleWrite } from '../../queue/store.ts';
import { type ScheduleRow, toSchedule } from '../rows.ts';
import { type Op, query, queryOne, type Value } from '../statement.ts';
import { type Dialect, type Done, hintOf, NO_HINT } from './dialect.ts';
import { enqueue } from './enqueue.ts';

const SCHEDULES_CHANGED = hintOf(SCHEDULES);

const WRITTEN = [
  'id',
  'cron',
  'timezone',
  'at',
  'type',
  'payload',
  'lane',
  'owner',
  'max_attempts',
  'paused',
  'next_at',
  'version',
  'updated_at',
] as const;
const ALL = [...WRITTEN, 'last_at', 'last_run_id', 'created_at'].join(', ');
const placeholders = WRITTEN.map((_, i) => `$${i + 1}`).join(', ');
const INSERT = `INSERT INTO schedules (${WRITTEN.join(', ')}, created_at) VALUES (${placeholders}, $13)
  ON CONFLICT (id) DO NOTHING RETURNING ${ALL}`;
const UPDATE = `UPDATE schedules SET ${WRITTEN.map((name, i) => `${name} = $${i + 1}`).join(', ')}
  WHERE id = $1 AND version = $14 RETURNING ${ALL}`;

/** Creates or replaces a schedule, unless another node did so first. */
export function* putSchedule(
  _: Dialect,
  now: number,
  schedule: ScheduleWrite,
  expected: string | null,
): Op<Done<Schedule | null>> {
  const values = valuesOf(schedule, now);
  const [row] =
    expected === null
      ? yield* query<ScheduleRow>(INSERT, values)
      : yield* query<ScheduleRow>(UPDATE, [...values, expected]);
  if (row !== undefined) return { value: toSchedule(row), hint: SCHEDULES_CHANGED };
  // This version is already stored: the same write was done before, but the response was lost.
  const own = yield* withVersion(schedule.id, schedule.version);
  return { value: own, hint: NO_HINT };
}

function valuesOf(schedule: ScheduleWrite, now: number): Value[] {
  return [
    schedule.id,
    schedule.cron,
    schedule.timezone,
    schedule.at,
    schedule.type,
    schedule.payload,
    schedule.lane,
    schedule.owner,
    schedule.maxAttempts,
    Number(schedule.paused),
    schedule.nextAt,
    schedule.version,
    now,
  ];
}

export function* removeSchedule(_: Dialect, _now: number, id: string): Op<Done<boolean>> {
  const gone = yield* query('DELETE FROM schedules WHERE id = $1 RETURNING id', [id]);
  return gone.length > 0
    ? { value: true, hint: SCHEDULES_CHANGED }
    : { value: false, hint: NO_HINT };
}

/**
 * Fires a tick. The condition on the version is checked again under the row's lock, so only one
 * node gets the row; the others wait for its commit and then see a different version. All
 * operations lock the schedule's row before the lane's.
 */
export function* fireSchedule(dialect: Dialect, now: number, firing: Firing): Op<Done<boolean>> {
  const { id, version, nextAt, admission } = firing;
  const fired = yield* query(
    `UPDATE schedules SET next_at = $3, last_at = next_at, last_run_id = $4, version = $4, updated_at = $5
     WHERE id = $1 AND version = $2 AND next_at <= $5 RETURNING id`,
    [id, version, nextAt, admission.id, now],
  );
  if (fired.length === 0) {
    const own = yield* withVersion(id, admission.id);
    return { value: own !== null, hint: NO_HINT };
  }
  const { hint } = yield* enqueue(dialect, now, [admission]);
  return { value: true, hint };
}

function* withVersion(id: string, version: string): Op<Schedule | null> {
  const row = yield* queryOne<ScheduleRow>(
    `SELECT ${ALL} FROM schedules WHERE id = $1 AND version = $2`,
    [id, version],
  );
  return row === null ? null : toSchedule(row);
}

export function* getSchedule(id: string): Op<Schedule | null> {
  const row = yield* queryOne<ScheduleRow>(`SELECT ${ALL} FROM schedules WHERE id = $1`, [id]);
  return row === null ? null : toSchedule(row);
}

export function* listSchedules({
  owner,
  after,
  limit,
}: Parameters<ScheduleStore['listSchedules']>[0]): Op<Schedule[]> {
  const values: Value[] = [limit, after ?? ''];
  const ofOwner = owner === undefined ? '' : `AND owner = $${values.push(owner)}`;
  const rows = yield* query<ScheduleRow>(
    `SELECT ${ALL} FROM schedules WHERE id > $2 ${ofOwner} ORDER BY id LIMIT $1`,
    values,
  );
  return rows.map(toSchedule);
}

export function* dueSchedules(
  dialect: Dialect,
  { limit, after }: Parameters<ScheduleStore['dueSchedules']>[0],
): Op<DueSchedules> {
  const now = yield* dialect.readTime();
  // A row comparison, which both databases evaluate with the index.
  const rows = yield* query<ScheduleRow>(
    `SELECT ${ALL} FROM schedules WHERE next_at <= $1 AND (next_at, id) > ($2, $3) ORDER BY next_at, id LIMIT $4`,
    [now, after?.nextAt ?? -1, after?.id ?? '', limit],
    'schedules_due',
  );
  const next = yield* query<{ at: number | null }>(
    'SELECT min(next_at) AS at FROM schedules WHERE next_at > $1',
    [now],
    'schedules_next',
  );
  return { now, due: rows.map(toSchedule), nextAt: next[0]?.at ?? null };
}
