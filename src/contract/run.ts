import { z } from 'zod';
import { RunError } from './outcome.ts';
import { HostId, IdempotencyKey, LaneId, OwnerId, RunId, RunType } from './values/ids.ts';
import { Json } from './values/json.ts';

export const RunState = z.enum([
  'queued',
  'dequeued',
  'running',
  'waiting',
  'retry_scheduled',
  'succeeded',
  'failed',
  'cancelled',
  'dead',
]);
export type RunState = z.infer<typeof RunState>;

export const TERMINAL_STATES = ['succeeded', 'failed', 'cancelled', 'dead'] as const;
export type TerminalState = (typeof TERMINAL_STATES)[number];

export const isTerminal = (state: RunState): state is TerminalState =>
  (TERMINAL_STATES as readonly RunState[]).includes(state);

/** The five statuses that clients of the source documents know, derived from the full state. */
export const RunStatus = z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']);
export type RunStatus = z.infer<typeof RunStatus>;

const STATUS: Record<RunState, RunStatus> = {
  queued: 'queued',
  retry_scheduled: 'queued',
  dequeued: 'running',
  running: 'running',
  waiting: 'running',
  succeeded: 'completed',
  failed: 'failed',
  dead: 'failed',
  cancelled: 'cancelled',
};
export const statusOf = (state: RunState): RunStatus => STATUS[state];

/** The largest payload of a run, in bytes of JSON text. */
export const PAYLOAD_MAX = 1024 * 1024;
/** The longest delay: ten years. Anything longer is probably in the wrong unit. */
export const DELAY_MAX_MS = 10 * 365 * 86_400_000;
export const MAX_ATTEMPTS_MAX = 1000;

/** A run as the queue stores it. Times are epoch milliseconds on the database's clock. */
export const Run = z.object({
  id: RunId,
  lane: LaneId,
  owner: OwnerId,
  type: RunType,
  payload: Json,
  state: RunState,
  /**
   * The number of executions, including the current one, but not executions that were cut off from
   * outside.
   */
  attempts: z.int(),
  maxAttempts: z.int(),
  /** The number of executions cut off by their node's death. */
  crashes: z.int(),
  retryOf: RunId.nullable(),
  idempotencyKey: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** The requested start. Until then, the run does not join its lane. */
  runAt: z.number().nullable(),
  /** When the next attempt may start, while `retry_scheduled`. */
  nextRunAt: z.number().nullable(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  cancelRequestedAt: z.number().nullable(),
  error: RunError.nullable(),
  result: Json,
  /** The seqs of the run's first and last events in its lane's log. */
  firstSeq: z.int(),
  lastSeq: z.int().nullable(),
});
export type Run = z.infer<typeof Run>;

/** What to do if the lane is busy. (`steer` needs an agent and is handled above the queue.) */
export const OnBusy = z.enum(['enqueue', 'reject', 'interrupt']);
export type OnBusy = z.infer<typeof OnBusy>;

export const RunRequest = z.strictObject({
  type: RunType,
  payload: Json.default(null),
  /** The runs of a lane execute one at a time, in order. A run without a lane gets its own. */
  lane: LaneId.optional(),
  /** The run's owner, for fairness and caps. Fixed when the lane is created. */
  owner: OwnerId.optional(),
  runAt: z.int().min(0, 'runAt is before 1970').optional(),
  delayMs: z
    .int()
    .min(0, 'delayMs is negative')
    .max(DELAY_MAX_MS, 'delayMs is more than ten years')
    .optional(),
  maxAttempts: z.int().min(1).max(MAX_ATTEMPTS_MAX).optional(),
  idempotencyKey: IdempotencyKey.optional(),
  onBusy: OnBusy.optional(),
});
export type RunRequest = z.input<typeof RunRequest>;

/** A lane's settings, apart from its runs. */
export const LaneSettings = z.strictObject({
  owner: OwnerId.optional(),
  /** Only workers on this host claim the lane; null means any worker. */
  host: HostId.nullable().optional(),
  /** Pins the lane to the host of the first worker that claims it. */
  pin: z.boolean().optional(),
  /** Holds the lane after a failure if more runs are queued. */
  holdOnFailure: z.boolean().optional(),
  /** Keeps the lane's runs and log until the lane itself is removed. */
  kept: z.boolean().optional(),
});
export type LaneSettings = z.infer<typeof LaneSettings>;
