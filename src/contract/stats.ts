import { z } from 'zod';
import { QueueCounts } from './run-view.ts';
import { SessionStatus } from './session.ts';

/** What has happened on one day, in UTC. */
export const DayStats = z.object({
  day: z.iso.date(),
  succeeded: z.int(),
  /** Also those that are dead. */
  failed: z.int(),
  cancelled: z.int(),
  costUsd: z.number(),
});
export type DayStats = z.infer<typeof DayStats>;

/** Of the sessions somebody may see; for admins, of all. */
export const Stats = z.object({
  runs: QueueCounts,
  sessions: z.record(SessionStatus, z.int()),
  /** How long runs that began in the last hour had waited; null if none did. */
  queueWaitMs: z.object({ p50: z.number(), p95: z.number() }).nullable(),
  /** The last seven days, today last. */
  days: z.array(DayStats),
});
export type Stats = z.infer<typeof Stats>;
