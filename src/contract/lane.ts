import { z } from 'zod';
import { HostId, LaneId, NodeId, OwnerId, RunId, RunType } from './ids.ts';

export const LaneState = z.enum(['idle', 'delayed', 'ready', 'running', 'asking']);
export type LaneState = z.infer<typeof LaneState>;

/** How a running run was asked to stop: by a person, or by a message that goes before it. */
export const CancelKind = z.enum(['stop', 'interrupt']);
export type CancelKind = z.infer<typeof CancelKind>;

/**
 * A lane's row. It holds at most one run (`runId`), which is why two runs of a lane cannot be
 * under way at once: there is no place to write the second.
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
  /** The begun and unfinished run: executing, waiting, to be retried, or cut off and to go on. */
  runId: RunId.nullable(),
  /** The type of that run, or of the next one. */
  headType: RunType.nullable(),
  /** Runs that joined the lane and have not begun. */
  queued: z.int(),
  readyAt: z.number(),
  /** 0 while nobody holds the lane. */
  fence: z.int(),
  nodeId: NodeId.nullable(),
  /** The number of the last write under this fence, so that one that is repeated is done once. */
  lastWrite: z.int(),
  cancel: CancelKind.nullable(),
  /** Set when the open question of a waiting run was answered. */
  answeredAt: z.number().nullable(),
  /** The place the next run to join gets, and that of the last run begun. */
  nextPosition: z.int(),
  lastPosition: z.int(),
  nextSeq: z.int(),
});
export type Lane = z.infer<typeof Lane>;
