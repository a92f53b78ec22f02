import { z } from 'zod';
import { AttachmentNote } from './attachment.ts';
import { MessageText } from './message.ts';
import { RunError } from './outcome.ts';
import { RunState, RunStatus } from './run.ts';
import { RunId, RunType } from './values/ids.ts';
import { Json } from './values/json.ts';
import { Time } from './values/time.ts';

/** A run as the API shows it (SPEC §12). `sessionId` is its lane. */
export const RunView = z.object({
  id: RunId,
  sessionId: z.string(),
  type: RunType,
  state: RunState,
  /** The state reduced to the five statuses of the source documents (H8). */
  status: RunStatus,
  /** Set for runs of type `agent`; masked. */
  message: z.string().nullable(),
  channel: z.string().nullable(),
  /** Who last wrote, edited or retried the message. */
  sender: z.string().nullable(),
  /** The files sent with the message. */
  attachments: z.array(AttachmentNote),
  attempts: z.int(),
  maxAttempts: z.int(),
  crashes: z.int(),
  retryOf: RunId.nullable(),
  createdAt: Time,
  startedAt: Time.nullable(),
  finishedAt: Time.nullable(),
  runAt: Time.nullable(),
  nextRunAt: Time.nullable(),
  cancelRequestedAt: Time.nullable(),
  error: RunError.nullable(),
  costUsd: z.number(),
  result: Json,
});
export type RunView = z.infer<typeof RunView>;

/** Gives a queued run a new message, a new position, or both. */
export const EditRun = z
  .strictObject({
    message: MessageText.optional(),
    /** Moves the run before this queued run of the session, or to the end if null. */
    before: RunId.nullable().optional(),
  })
  .refine(
    (edit) => edit.message !== undefined || edit.before !== undefined,
    'give `message`, `before` or both',
  );
export type EditRun = z.output<typeof EditRun>;

/** The record of one agent process. */
export const Invocation = z.object({
  id: z.string(),
  runId: RunId,
  sessionId: z.string(),
  attempt: z.int(),
  agent: z.string(),
  /** Who sent the message, and through which channel; null for old records. */
  userId: z.string().nullable(),
  channel: z.string().nullable(),
  startedAt: Time,
  finishedAt: Time.nullable(),
  durationMs: z.number().nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheCreationTokens: z.int(),
  cacheReadTokens: z.int(),
  model: z.string().nullable(),
  costUsd: z.number(),
  /**
   * `claude`: reported by the agent. `estimated`: computed from the tokens seen until the agent was
   * killed.
   */
  costSource: z.string().nullable(),
  tools: Json,
  /** The last 64 KiB of its error output, masked. */
  stderr: z.string(),
  error: RunError.nullable(),
});
export type Invocation = z.infer<typeof Invocation>;

/** Totals over a set of invocations. */
export const CostSums = z.object({
  costUsd: z.number(),
  /** The part of `costUsd` that is estimated, because an agent was killed before it reported its cost. */
  estimatedUsd: z.number(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheCreationTokens: z.int(),
  cacheReadTokens: z.int(),
  invocations: z.int(),
});

export const ModelCost = CostSums.extend({
  /** Null if no usage was reported. */
  model: z.string().nullable(),
  source: z.string().nullable(),
});

export const Cost = CostSums.extend({
  sessionId: z.string(),
  budgetUsd: z.number().nullable(),
  /** Most expensive first. */
  models: z.array(ModelCost),
});
export type Cost = z.infer<typeof Cost>;

export const QueueCounts = z.record(RunState, z.int());
