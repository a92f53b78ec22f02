/** No clock has ever been set back by more than this at once. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/** The local time in a time zone, as a wall clock would show it. */
export interface WallClock {
  /**
   * If the clock had already shown this time before it was set back, the moment from which it shows
   * new times again. Otherwise null.
   */
  secondPassUntil(time: number): number | null;
}

/** Null for an unknown time zone. */
export function wallClock(timezone: string): WallClock | null {
  const format = formatOf(timezone);
  if (format === null) return null;
  const offset = (time: number): number => shown(format, time) - Math.floor(time / 1000) * 1000;
  return {
    secondPassUntil(time) {
      const before = offset(time - LONGEST_CHANGE_MS);
      const back = before - offset(time);
      if (back <= 0 || offset(time - back) !== before) return null;
      const changed = firstWhere(time - back, time, (at) => offset(at) !== before);
      return changed + back;
    },
  };
}

/**
 * Binary search for the first time in (low, high] for which `isSo` holds; it must also hold for all
 * later times.
 */
function firstWhere(low: number, high: number, isSo: (at: number) => boolean): number {
  let [no, yes] = [low, high];
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (isSo(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return null;
  }
}

/** The local time, read as if it were UTC. */
function shown(format: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
}
