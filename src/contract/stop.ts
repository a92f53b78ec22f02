import { z } from 'zod';
import { STOP_REASON_MAX } from './limits.ts';
import { Line } from './values/short-text.ts';
import { Time } from './values/time.ts';

/* The switch that stops the whole installation. While it is on, no run starts anywhere. */

export const Stop = z.object({
  stopped: z.boolean(),
  /** Null while nothing is stopped, as are the fields below. */
  since: Time.nullable(),
  /** The name of the administrator who stopped everything. */
  by: z.string().nullable(),
  /** Masked. */
  reason: z.string().nullable(),
});
export type Stop = z.infer<typeof Stop>;

export const StopReason = Line('reason', STOP_REASON_MAX);

export const PutStop = z.strictObject({
  stopped: z.boolean(),
  /** Shown to everyone while everything is stopped, and stored in the audit log. */
  reason: StopReason.optional(),
});
export type PutStop = z.output<typeof PutStop>;
