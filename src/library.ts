import { memoryStore } from './queue/memory/store.ts';
import { RunQueue, type RunQueueOptions } from './queue/run-queue.ts';
import type { Clock } from './queue/store.ts';
import type { AnyEvents, AttemptContext as ContextOf } from './queue/worker/attempt-context.ts';
import { type PostgresOptions, postgresStore } from './storage/postgres/store.ts';
import { type SqliteOptions, sqliteStore } from './storage/sqlite/store.ts';

/*
 * The entry point `baton/queue`: a queue on one of the stores, and workers for it. Loads and starts
 * no other part of Baton.
 */

/** A queue that exists only in this process. */
export const memoryQueue = (options: RunQueueOptions & { readonly clock?: Clock } = {}): RunQueue =>
  new RunQueue(memoryStore(options), options);

/** A queue in one file, for one process at a time. */
export const sqliteQueue = async (options: RunQueueOptions & SqliteOptions): Promise<RunQueue> =>
  new RunQueue(await sqliteStore(options), options);

/** A queue on PostgreSQL, for any number of processes on any number of machines. */
export const postgresQueue = async (
  options: RunQueueOptions & PostgresOptions,
): Promise<RunQueue> => new RunQueue(await postgresStore(options), options);

/** A handler's second argument. A handler that declares no events may emit any. */
export type AttemptContext<Events extends object = AnyEvents> = ContextOf<Events>;

export { BatonError, type ErrorCode } from './contract/errors.ts';
export type { LogEvent, NewEvent } from './contract/event.ts';
export type { Lane } from './contract/lane.ts';
export type { ErrorClass, Outcome, RunError } from './contract/outcome.ts';
export type { LaneSettings, Run, RunRequest, RunState } from './contract/run.ts';
export type { Schedule, ScheduleChanges, ScheduleRequest } from './contract/schedule.ts';
export type { Json } from './contract/values/json.ts';
export type { FollowOptions } from './queue/follow/follower.ts';
export type { Growth } from './queue/follow/growth.ts';
export type { Tail, TailEnd, TailEndReason } from './queue/follow/tail.ts';
export {
  AbortReason,
  fail,
  HandlerError,
  handBack,
  leaveWaiting,
  park,
} from './queue/handler-result.ts';
export type { Handler, HandlerDefinition, PayloadSchema } from './queue/handlers.ts';
export type { Logger } from './queue/logger.ts';
export { Purger, type PurgerOptions } from './queue/purger.ts';
export { RunQueue, type RunQueueOptions, type TailOptions } from './queue/run-queue.ts';
export { Scheduler, type SchedulerOptions } from './queue/schedules/scheduler.ts';
export type { Caps, Counts, Receipt, Store } from './queue/store.ts';
export type { AnyEvents } from './queue/worker/attempt-context.ts';
export type { PastAttempt } from './queue/worker/attempt-history.ts';
export { Worker } from './queue/worker/worker.ts';
export type { WorkerOptions } from './queue/worker/worker-settings.ts';
export type { PostgresOptions } from './storage/postgres/store.ts';
export type { SqliteOptions } from './storage/sqlite/store.ts';
