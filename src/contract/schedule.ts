import { z } from 'zod';
import { MAX_ATTEMPTS_MAX } from './run.ts';
import { LaneId, OwnerId, RunId, RunType, ScheduleId } from './values/ids.ts';
import { Json } from './values/json.ts';

/** A schedule as the queue keeps it: when it fires, and the run that each tick creates (Q13). */
export const Schedule = z.object({
  id: ScheduleId,
  /**
   * A cron expression with five fields, or six with seconds first. Null if the schedule fires once.
   */
  cron: z.string().nullable(),
  /** The IANA time zone of the cron expression. */
  timezone: z.string(),
  /** The only time at which the schedule fires. Null if it has a cron expression. */
  at: z.number().nullable(),
  type: RunType,
  payload: Json,
  /** If null, every run gets its own lane. */
  lane: LaneId.nullable(),
  owner: OwnerId,
  maxAttempts: z.int(),
  paused: z.boolean(),
  /**
   * The next tick, or a tick that is due but has not fired yet. Null if paused or if there are no
   * more ticks.
   */
  nextAt: z.number().nullable(),
  /** The time of the last tick that fired, and the run it created. */
  lastAt: z.number().nullable(),
  lastRunId: RunId.nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Changes with every update, so that an update based on an old version is detected. */
  version: z.string(),
});
export type Schedule = z.infer<typeof Schedule>;

/**
 * The tick that created a run, as recorded in the payload of the run's first `run.queued` event.
 */
export const Tick = z.object({
  schedule: ScheduleId,
  /** When the tick was due. */
  at: z.number(),
  /** Whether later ticks had also passed; in that case, this run stands for all of them. */
  missed: z.boolean(),
});
export type Tick = z.infer<typeof Tick>;

const timing = {
  cron: z.string().max(200, 'is longer than 200 characters').optional(),
  timezone: z.string().max(100, 'is longer than 100 characters').optional(),
  at: z.int().min(0, 'is before 1970').optional(),
};

export const ScheduleRequest = z.strictObject({
  /** Replaces the schedule with this id, if there is one. */
  id: ScheduleId.optional(),
  ...timing,
  type: RunType,
  payload: Json.default(null),
  lane: LaneId.optional(),
  owner: OwnerId.optional(),
  maxAttempts: z.int().min(1).max(MAX_ATTEMPTS_MAX).optional(),
  paused: z.boolean().optional(),
});
export type ScheduleRequest = z.input<typeof ScheduleRequest>;

/** Fields that are left out stay as they are; `cron` replaces `at`, and vice versa. */
export const ScheduleChanges = z.strictObject({
  ...timing,
  type: RunType.optional(),
  payload: Json.optional(),
  lane: LaneId.nullable().optional(),
  owner: OwnerId.optional(),
  maxAttempts: z.int().min(1).max(MAX_ATTEMPTS_MAX).optional(),
});
export type ScheduleChanges = z.input<typeof ScheduleChanges>;
