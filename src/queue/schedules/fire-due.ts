import type { Schedule } from '../../contract/schedule.ts';
import { newId } from '../../contract/values/ids.ts';
import { messageOf } from '../handler-result.ts';
import type { Logger } from '../logger.ts';
import type { Admission, ScheduleStore } from '../store.ts';
import { tickAfter } from './schedule-plan.ts';

/**
 * How many ticks to fire concurrently: few enough for a store to commit together, and for a pool to
 * have connections left for other callers.
 */
const BATCH = 20;

export type Ticking = Pick<ScheduleStore, 'dueSchedules' | 'fireSchedule'>;

export interface Fired {
  readonly fired: number;
  /** Time until the next tick of any schedule, by the store's clock; null if there is none. */
  readonly nextMs: number | null;
}

/**
 * Fires every due tick that no other node fires first. All missed ticks together create one run:
 * the next tick is computed from now, not from the tick that fires.
 */
export async function fireDue(
  store: Ticking,
  log: Logger,
  stopped: () => boolean = () => false,
): Promise<Fired> {
  let fired = 0;
  let soonest = Number.POSITIVE_INFINITY;
  let after: { nextAt: number; id: string } | null = null;
  for (;;) {
    const page: Awaited<ReturnType<ScheduleStore['dueSchedules']>> = await store.dueSchedules({
      limit: BATCH,
      after,
    });
    const { now, due } = page;
    const results = await Promise.allSettled(due.map((one) => fire(store, log, one, now)));
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason;
      if (result.value.fired) fired++;
      soonest = Math.min(soonest, result.value.nextAt ?? Number.POSITIVE_INFINITY);
    }
    soonest = Math.min(soonest, page.nextAt ?? Number.POSITIVE_INFINITY);
    const last = due.at(-1);
    if (due.length < BATCH || last === undefined || stopped()) {
      return { fired, nextMs: Number.isFinite(soonest) ? Math.max(0, soonest - now) : null };
    }
    after = { nextAt: last.nextAt as number, id: last.id };
  }
}

interface OneFired {
  readonly fired: boolean;
  /** Set even if another node fired the tick, because that node computed the same time. */
  readonly nextAt: number | null;
}

async function fire(
  store: Ticking,
  log: Logger,
  schedule: Schedule,
  now: number,
): Promise<OneFired> {
  const at = schedule.nextAt as number;
  const times = timesOf(schedule, at, now, log);
  if (times === null) return { fired: false, nextAt: null };
  const { nextAt, missed } = times;
  const admission = admissionFor(schedule, { at, missed });
  const { id, version } = schedule;
  const fired = await store.fireSchedule({ id, version, nextAt, admission });
  if (fired) {
    const { type, lane } = schedule;
    const fields = { scheduleId: id, runId: admission.id, type, lane, lateMs: now - at, missed };
    log.info(fields, 'Enqueued');
  }
  return { fired, nextAt };
}

/**
 * Null if this node cannot read the schedule because its version or time-zone data is older than
 * that of the node that stored the schedule.
 */
function timesOf(
  schedule: Schedule,
  at: number,
  now: number,
  log: Logger,
): { nextAt: number | null; missed: boolean } | null {
  try {
    const following = tickAfter(schedule, at);
    const missed = following !== null && following <= now;
    return { missed, nextAt: missed ? tickAfter(schedule, now) : following };
  } catch (error) {
    const { id: scheduleId, cron, timezone } = schedule;
    log.error({ scheduleId, cron, timezone, reason: messageOf(error) }, 'ScheduleUnreadable');
    return null;
  }
}

const admissionFor = (
  { id, type, payload, lane, owner, maxAttempts }: Schedule,
  { at, missed }: { at: number; missed: boolean },
): Admission => ({
  id: newId(),
  type,
  payload: JSON.stringify(payload),
  lane,
  owner,
  runAt: null,
  delayMs: null,
  maxAttempts,
  idempotencyKey: null,
  bodyHash: null,
  onBusy: 'enqueue',
  tick: { schedule: id, at, missed },
});
