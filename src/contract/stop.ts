import { z } from 'zod';
import { STOP_REASON_MAX } from './limits.ts';
import { Line } from './line.ts';
import { Time } from './time.ts';

/* Stop everything: one switch over the whole installation. While it is on, no run starts anywhere. */

export const Stop = z.object({
  stopped: z.boolean(),
  /** Null while nothing is stopped, like the rest. */
  since: Time.nullable(),
  /** The name of the administrator who stopped it. */
  by: z.string().nullable(),
  /** As it was given, masked. */
  reason: z.string().nullable(),
});
export type Stop = z.infer<typeof Stop>;

export const StopReason = Line('reason', STOP_REASON_MAX);

export const PutStop = z.strictObject({
  stopped: z.boolean(),
  /** For the people who see that everything is stopped, and for the audit log. */
  reason: StopReason.optional(),
});
export type PutStop = z.output<typeof PutStop>;
