import { z } from 'zod';
import { HostId, NodeId, RunType } from './ids.ts';

export const NodeRole = z.enum(['api', 'worker']);

/** One Baton process, as its row in the database. The identity fields let a neighbour prove it dead. */
export const NodeInfo = z.object({
  id: NodeId,
  host: HostId,
  bootId: z.string(),
  pidNamespace: z.string(),
  pid: z.int(),
  pidStart: z.string(),
  roles: z.array(NodeRole),
  /** The run types it handles. */
  types: z.array(RunType),
  /** How many runs it executes at a time. */
  capacity: z.int(),
  version: z.string(),
});
export type NodeInfo = z.infer<typeof NodeInfo>;

export const NodeRecord = NodeInfo.extend({ leaseUntil: z.number(), startedAt: z.number() });
export type NodeRecord = z.infer<typeof NodeRecord>;
