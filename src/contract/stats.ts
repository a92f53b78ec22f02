import { z } from 'zod';
import { QueueCounts } from './run-view.ts';
import { SessionStatus } from './session.ts';

/** Counts for one UTC day. */
export const DayStats = z.object({
  day: z.iso.date(),
  succeeded: z.int(),
  /** Includes `dead` runs. */
  failed: z.int(),
  cancelled: z.int(),
  costUsd: z.number(),
});
export type DayStats = z.infer<typeof DayStats>;

/** Covers the sessions that the caller can see; for admins, all of them. */
export const Stats = z.object({
  runs: QueueCounts,
  sessions: z.record(SessionStatus, z.int()),
  /** How long the runs that started in the last hour had waited; null if none started. */
  queueWaitMs: z.object({ p50: z.number(), p95: z.number() }).nullable(),
  /** The last seven days, today last. */
  days: z.array(DayStats),
});
export type Stats = z.infer<typeof Stats>;
