const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** "3m ago", "in 2h", "now"; short, for lists. */
export function relativeTime(time: string, now: number): string {
  const away = Date.parse(time) - now;
  const unit = UNITS.find(([, ms]) => Math.abs(away) >= ms);
  if (unit === undefined) return 'now';
  const count = `${Math.floor(Math.abs(away) / unit[1])}${unit[0]}`;
  return away > 0 ? `in ${count}` : `${count} ago`;
}
