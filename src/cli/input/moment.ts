import { z } from 'zod';

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const AGO = /^(\d{1,6})([mhd])$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

export const MOMENT_EXPECTED =
  'a time like 2026-11-01, 2026-11-01T09:30:00Z, or 30m, 12h, 7d (ago)';

/** Converts a time as people write it to the API's format. A date means local midnight. */
export const momentBefore = (now: () => number) =>
  z.string().transform((text, context): string => {
    const [, count, unit = ''] = AGO.exec(text) ?? [];
    const ms =
      count === undefined
        ? Date.parse(DATE.test(text) ? `${text}T00:00:00` : text)
        : now() - Number(count) * (UNITS[unit] ?? 0);
    const isTime = count !== undefined || /^\d{4}-\d\d-\d\d(T|$)/.test(text);
    if (isTime && Math.abs(ms) <= 8.64e15) return new Date(ms).toISOString();
    context.addIssue('is not a time');
    return z.NEVER;
  });
