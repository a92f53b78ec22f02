import type { RunState } from '../../../contract/run.ts';
import type { DayStats, Stats } from '../../../contract/stats.ts';
import { type Op, query } from '../../statement.ts';
import type { Dialect } from '../dialect.ts';
import { counts } from '../queue-reads.ts';
import { countSessions } from './session-reads.ts';
import { countVisible, visibleTo } from './visible.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 7;
/** The maximum number of rows read for one figure; if there are more, the latest are used. */
const MOST_ENDS = 50_000;
const MOST_WAITS = 10_000;

/** Figures for the sessions visible to a user, or for all sessions. */
export function* stats(dialect: Dialect, userId: string | null): Op<Stats> {
  const now = yield* dialect.readTime();
  return {
    runs: userId === null ? yield* counts() : yield* countVisible(userId),
    sessions: yield* countSessions(userId),
    queueWaitMs: yield* waits(now, userId),
    days: yield* days(now, userId),
  };
}

/** Limits `column` to the sessions visible to the user in $2, if there is a user. */
const seen = (column: string, userId: string | null): string =>
  userId === null ? '' : `AND ${column} IN ${visibleTo(2)}`;

const valuesOf = (from: number, userId: string | null): (string | number)[] =>
  userId === null ? [from] : [from, userId];

const WAIT = 'r.started_at - coalesce(r.run_at, r.created_at) AS wait';

/** The waits of all runs that started in the last hour, whether they have ended or not. */
function* waits(now: number, userId: string | null): Op<Stats['queueWaitMs']> {
  const values = valuesOf(now - HOUR_MS, userId);
  const ended = yield* query<{ wait: number }>(
    `SELECT ${WAIT} FROM runs r WHERE r.finished_at > $1 AND r.kept = 1 AND r.started_at > $1
     ${seen('r.lane', userId)} ORDER BY r.finished_at DESC LIMIT ${MOST_WAITS}`,
    values,
  );
  const underWay = yield* query<{ wait: number }>(
    `SELECT ${WAIT} FROM lanes l JOIN runs r ON r.id = l.run_id
     WHERE l.node_id IS NOT NULL AND l.kept = 1 AND r.started_at > $1 ${seen('l.id', userId)} LIMIT ${MOST_WAITS}`,
    values,
  );
  const sorted = [...ended, ...underWay].map(({ wait }) => Math.max(0, wait)).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const rank = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1] as number;
  return { p50: rank(0.5), p95: rank(0.95) };
}

function* days(now: number, userId: string | null): Op<DayStats[]> {
  const today = Math.floor(now / DAY_MS);
  const values = valuesOf((today - DAYS + 1) * DAY_MS, userId);
  const all = new Map<number, DayStats>();
  for (let day = today - DAYS + 1; day <= today; day++) all.set(day, noneOn(day));
  const ends = yield* query<{ day: number; state: RunState; n: number }>(
    `SELECT e.finished_at / ${DAY_MS} AS day, e.state, count(*) AS n FROM (
       SELECT r.finished_at, r.state FROM runs r WHERE r.finished_at >= $1 AND r.kept = 1
       ${seen('r.lane', userId)} ORDER BY r.finished_at DESC LIMIT ${MOST_ENDS}
     ) e GROUP BY e.finished_at / ${DAY_MS}, e.state`,
    values,
  );
  for (const { day, state, n } of ends) {
    const one = all.get(day);
    if (one === undefined) continue;
    if (state === 'succeeded') one.succeeded += n;
    else if (state === 'cancelled') one.cancelled += n;
    else one.failed += n;
  }
  const costs = yield* query<{ day: number; cost: number }>(
    `SELECT e.finished_at / ${DAY_MS} AS day, sum(e.cost_usd) AS cost FROM (
       SELECT i.finished_at, i.cost_usd FROM invocations i WHERE i.finished_at >= $1
       ${seen('i.session_id', userId)} ORDER BY i.finished_at DESC LIMIT ${MOST_ENDS}
     ) e GROUP BY e.finished_at / ${DAY_MS}`,
    values,
  );
  for (const { day, cost } of costs) {
    const one = all.get(day);
    if (one !== undefined) one.costUsd = cost;
  }
  return [...all.values()];
}

const noneOn = (day: number): DayStats => ({
  day: new Date(day * DAY_MS).toISOString().slice(0, 10),
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  costUsd: 0,
});
