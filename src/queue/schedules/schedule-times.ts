import { Cron } from 'croner';
import { BatonError } from '../../contract/errors.ts';
import { wallClock } from './wall-clock.ts';

/*
 * When a cron expression fires. Croner does the calendar; here is what it is not asked to do: refuse
 * what is no schedule, and run a time that exists twice once.
 *
 * When clocks go forward, a time of day that does not exist runs at the first one that does
 * (`30 2 * * *` at 3:00). Expressions with several times a day leave it out: the next of them comes.
 * When clocks go back, a time of day that exists twice runs at its first. Expressions whose hour is
 * `*` or a step of it mean "every so often" and go on through both passes.
 */

const CACHE_MAX = 1000;
const FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week'];
const NICKNAME = /^@[a-z]+$/i;

export interface CronTimes {
  /** The first time after an instant, in epoch milliseconds; null if there is none. */
  next(after: number): number | null;
}

/** Throws `invalid_request` naming `cron` or `timezone`. */
export function cronTimes(expression: string, timezone: string): CronTimes {
  const key = `${timezone}\n${expression}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = makeTimes(expression, timezone);
  // Expressions come from people: what they made up long ago need not be kept.
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
      // A millisecond before, because what comes must be after it.
      return until === null ? time : (cron.nextRun(new Date(until - 1))?.getTime() ?? null);
    },
  };
}

/** Null for a nickname. Croner also takes dates and years, which would not go on for ever. */
function fieldsOf(expression: string): string[] | null {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 1 && NICKNAME.test(fields[0] as string)) return null;
  if (fields.length === 5 || fields.length === 6) return fields;
  throw wrong(
    'cron',
    `"${expression}" has not the five fields of a cron expression (or six, with seconds first)`,
  );
}

function parse(expression: string, timezone: string): Cron {
  try {
    return new Cron(expression, { timezone, mode: '5-or-6-parts', paused: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : 'invalid';
    throw wrong('cron', `"${expression}" is no cron expression: ${named(reason)}`);
  }
}

/** Croner counts the fields from 0, with the seconds it added; people look for a name. */
const named = (reason: string): string =>
  reason.replace(
    /^configuration entry (\d) /,
    (_, n: string) => `the ${FIELDS[Number(n)] ?? 'field'} `,
  );

function clockOf(timezone: string) {
  // An offset is no place: it knows nothing of summer time, and croner refuses it later.
  const clock = /^[A-Za-z]/.test(timezone) ? wallClock(timezone) : null;
  if (clock !== null) return clock;
  throw wrong('timezone', `"${timezone}" is no time zone; one is like Europe/Berlin, or UTC`);
}

export const wrong = (field: string, message: string): BatonError =>
  new BatonError('invalid_request', `${field}: ${message}`, { details: { field } });
