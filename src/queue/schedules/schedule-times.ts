import { Cron } from 'croner';
import { BatonError } from '../../contract/errors.ts';
import { wallClock } from './wall-clock.ts';

/*
 * When a cron expression fires. Croner handles the calendar; this module refuses expressions that
 * are not recurring schedules, and fires only once at a time of day that occurs twice.
 *
 * When clocks go forward, an expression for a time of day that does not exist fires at the first
 * time after the gap (`30 2 * * *` fires at 3:00). Expressions with several times a day skip the
 * missing time and fire at their next time. When clocks go back, an expression for a time of day
 * that occurs twice fires the first time. Expressions whose hour is `*` or a step of it describe an
 * interval and fire both times.
 */

const CACHE_MAX = 1000;
const FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week'];
const NICKNAME = /^@[a-z]+$/i;

export interface CronTimes {
  /** The first time after the given one, in epoch milliseconds; null if there is none. */
  next(after: number): number | null;
}

/** Throws `invalid_request` naming `cron` or `timezone`. */
export function cronTimes(expression: string, timezone: string): CronTimes {
  const key = `${timezone}\n${expression}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = makeTimes(expression, timezone);
  // Users choose the expressions, so the cache must not grow without limit.
  if (cache.size >= CACHE_MAX) cache.clear();
  cache.set(key, made);
  return made;
}
const cache = new Map<string, CronTimes>();

function makeTimes(expression: string, timezone: string): CronTimes {
  const wall = clockOf(timezone);
  const fields = fieldsOf(expression);
  const cron = parse(expression.trim(), timezone);
  const repeats = fields === null || /^[*?]/.test(fields.at(-4) as string);
  return {
    next(after) {
      const time = cron.nextRun(new Date(after))?.getTime() ?? null;
      if (time === null || repeats) return time;
      const until = wall.secondPassUntil(time);
      // Starts a millisecond earlier, because nextRun() returns only later times.
      return until === null ? time : (cron.nextRun(new Date(until - 1))?.getTime() ?? null);
    },
  };
}

/**
 * Null for a nickname such as `@daily`. Croner also accepts dates and years, which do not recur
 * forever.
 */
function fieldsOf(expression: string): string[] | null {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 1 && NICKNAME.test(fields[0] as string)) return null;
  if (fields.length === 5 || fields.length === 6) return fields;
  throw wrong(
    'cron',
    `"${expression}" does not have the five fields of a cron expression (or six, with seconds first)`,
  );
}

function parse(expression: string, timezone: string): Cron {
  try {
    return new Cron(expression, { timezone, mode: '5-or-6-parts', paused: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'invalid';
    throw wrong('cron', `"${expression}" is not a cron expression: ${named(reason)}`);
  }
}

/** Croner numbers the fields from 0, including seconds; people expect names. */
const named = (reason: string): string =>
  reason.replace(
    /^configuration entry (\d) /,
    (_, n: string) => `the ${FIELDS[Number(n)] ?? 'field'} `,
  );

function clockOf(timezone: string) {
  // An offset such as +02:00 is refused: it has no daylight saving time, and croner would refuse it
  // later.
  const clock = /^[A-Za-z]/.test(timezone) ? wallClock(timezone) : null;
  if (clock !== null) return clock;
  throw wrong(
    'timezone',
    `"${timezone}" is not a time zone; use a name such as Europe/Berlin, or UTC`,
  );
}

export const wrong = (field: string, message: string): BatonError =>
  new BatonError('invalid_request', `${field}: ${message}`, { details: { field } });
