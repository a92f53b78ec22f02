import { z } from 'zod';
import { HostId, NodeId, RunType } from './ids.ts';
import { Time } from './time.ts';

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

/** What a node says about itself every few seconds. */
export const NodeLoad = z.object({
  /** Of the machine: the load of the last minute by its number of processors. */
  cpu: z.number(),
  memoryBytes: z.int(),
  /** How late the event loop was at worst, lately. */
  eventLoopDelayMs: z.number(),
  /** Open streams. */
  streams: z.int(),
  at: z.number(),
});
export type NodeLoad = z.infer<typeof NodeLoad>;

/** A node as the API shows it. */
export const NodeView = z.object({
  id: NodeId,
  host: HostId,
  pid: z.int(),
  roles: z.array(NodeRole),
  types: z.array(RunType),
  version: z.string(),
  startedAt: Time,
  leaseUntil: Time,
  /** Its lease has not ended. */
  alive: z.boolean(),
  /** Runs it may have begun at a time; 0 if it is no worker. */
  capacity: z.int(),
  /** Runs it has begun and not ended. */
  executing: z.int(),
  /** Connections of people on sessions. */
  connections: z.int(),
  /** Null until it has said something. */
  load: NodeLoad.omit({ at: true }).extend({ at: Time }).nullable(),
});
export type NodeView = z.infer<typeof NodeView>;
