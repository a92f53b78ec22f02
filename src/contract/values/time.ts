import { z } from 'zod';

/** RFC 3339, UTC: how the API shows times. Internally, times are epoch milliseconds. */
export const Time = z.iso.datetime();
export type Time = z.infer<typeof Time>;

export const toTime = (ms: number): Time => new Date(ms).toISOString();
export const toTimeOrNull = (ms: number | null): Time | null => (ms === null ? null : toTime(ms));
