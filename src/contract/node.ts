import { z } from 'zod';
import { HostId, HostName, NodeId, RunType } from './values/ids.ts';
import { Time } from './values/time.ts';

export const NodeRole = z.enum(['api', 'worker']);

/**
 * A node's row in the database. The identity fields let another node on the same host prove that
 * this node is dead.
 */
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
  /** How many runs the node executes at once. */
  capacity: z.int(),
  version: z.string(),
  /** The URL at which nodes on other hosts reach it (X7); null if unknown. */
  url: z.string().nullable().optional(),
});
export type NodeInfo = z.infer<typeof NodeInfo>;

export const NodeRecord = NodeInfo.extend({ leaseUntil: z.number(), startedAt: z.number() });
export type NodeRecord = z.infer<typeof NodeRecord>;

/** A node's report about itself, sent every few seconds. */
export const NodeLoad = z.object({
  /** The machine's load average over the last minute, divided by its number of processors. */
  cpu: z.number(),
  memoryBytes: z.int(),
  /** The event loop's longest recent delay. */
  eventLoopDelayMs: z.number(),
  /** Open streams. */
  streams: z.int(),
  at: z.number(),
});
export type NodeLoad = z.infer<typeof NodeLoad>;

/** A machine that runs agents, or did so recently, as the API shows it. */
export const HostView = z.object({
  id: HostId,
  name: HostName,
  /** Whether the host has a live worker. */
  alive: z.boolean(),
});
export type HostView = z.infer<typeof HostView>;

/** A node as the API shows it. */
export const NodeView = z.object({
  id: NodeId,
  host: HostId,
  hostName: HostName,
  pid: z.int(),
  roles: z.array(NodeRole),
  types: z.array(RunType),
  version: z.string(),
  startedAt: Time,
  leaseUntil: Time,
  /** Whether the node's lease is still valid. */
  alive: z.boolean(),
  /** The URL at which nodes on other hosts reach it; null if unknown. */
  url: z.string().nullable(),
  /** How many runs the node can execute at once; 0 if it is not a worker. */
  capacity: z.int(),
  executing: z.int(),
  /** People's open connections to sessions. */
  connections: z.int(),
  /** Null until its first report. */
  load: NodeLoad.omit({ at: true }).extend({ at: Time }).nullable(),
});
export type NodeView = z.infer<typeof NodeView>;
