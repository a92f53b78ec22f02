import { z } from 'zod';
import { UserId } from './access.ts';
import { Line } from './line.ts';
import { Time } from './time.ts';

/* Stop everything: one switch over the whole installation. While it is on, no run starts anywhere. */

/** Why a run was handed back, in its `run.handed_back` event; what people see is worded from it. */
export const EVERYTHING_STOPPED = 'everything was stopped';

export const Stop = z.object({
  stopped: z.boolean(),
  /** Null while nothing is stopped, like the rest. */
  since: Time.nullable(),
  by: z.object({ id: UserId, name: z.string() }).nullable(),
  /** As it was given, masked. */
  reason: z.string().nullable(),
});
export type Stop = z.infer<typeof Stop>;

export const PutStop = z.strictObject({
  stopped: z.boolean(),
  /** For the people who see that everything is stopped, and for the audit log. */
  reason: Line('reason', 500).optional(),
});
export type PutStop = z.output<typeof PutStop>;
