/** Longer than any clock was ever put back at once. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/** The clock on the wall of a time zone. */
export interface WallClock {
  /**
   * If the wall showed the same time once before, because the clock was put back since: when it
   * shows a new time again. Else null.
   */
  secondPassUntil(time: number): number | null;
}

/** Null if the zone is not known. */
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

/** The first of the times in (low, high] of which something is true, if it stays so. */
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

/** What the wall shows, read as if it were UTC. */
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
