import { z } from 'zod';
import { HostId, LaneId, NodeId, OwnerId, RunId, RunType } from './values/ids.ts';

export const LaneState = z.enum(['idle', 'delayed', 'ready', 'running', 'asking']);
export type LaneState = z.infer<typeof LaneState>;

/** Why an executing run was asked to stop: a person stopped it, or a message interrupted it. */
export const CancelKind = z.enum(['stop', 'interrupt']);
export type CancelKind = z.infer<typeof CancelKind>;

/**
 * A lane's row. The row has room for only one run (`runId`), so two runs of a lane can never be in
 * progress at once: there is no column for the second.
 */
export const Lane = z.object({
  id: LaneId,
  owner: OwnerId,
  host: HostId.nullable(),
  pin: z.boolean(),
  holdOnFailure: z.boolean(),
  kept: z.boolean(),
  state: LaneState,
  held: z.boolean(),
  /** The run in progress: executing, waiting, due for a retry, or cut off and due to continue. */
  runId: RunId.nullable(),
  /** The type of the run in progress, or else of the next one. */
  headType: RunType.nullable(),
  /** Runs that have joined the lane but not started. */
  queued: z.int(),
  readyAt: z.number(),
  /** 0 while no node holds the lane. */
  fence: z.int(),
  nodeId: NodeId.nullable(),
  /**
   * The number of the last write under this fence. With it, a repeated write is recognised and
   * applied only once.
   */
  lastWrite: z.int(),
  cancel: CancelKind.nullable(),
  /** Set once the open question of a waiting run has been answered. */
  answeredAt: z.number().nullable(),
  /** The position for the next run to join, and the position of the last run that started. */
  nextPosition: z.int(),
  lastPosition: z.int(),
  nextSeq: z.int(),
});
export type Lane = z.infer<typeof Lane>;
