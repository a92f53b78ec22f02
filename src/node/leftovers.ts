import type { Logger } from 'pino';
import type { NodeRecord } from '../contract/node.ts';
import { isProvablyDead, type ProcessIdentity } from '../queue/membership/process-identity.ts';
import type { Store } from '../queue/store.ts';
import { privateNodes, sweepPrivate } from '../workspaces/local/files/private-dir.ts';
import { findNodes, sweepNodes } from '../workspaces/local/processes/sweep.ts';

export interface LeftoverOptions {
  readonly store: Pick<Store, 'listNodes' | 'time'>;
  readonly installation: string;
  readonly self: ProcessIdentity;
  readonly dataDir: string;
  readonly log: Logger;
}

/**
 * Before anything new starts, kills the processes that agents of dead nodes left behind on this
 * machine (A9), and removes those nodes' private files. Returns the number of killed processes.
 */
export async function stopLeftovers(options: LeftoverOptions): Promise<number> {
  const { store, installation, self, dataDir, log } = options;
  // A node joins before it starts agents. So a node that has left something here, and is not in a
  // list read afterwards, is dead; a node that is only missing from the list may just have joined.
  const here = [...findNodes({ installation }), ...(await privateNodes(dataDir))];
  const [nodes, now] = [await store.listNodes(), await store.time()];
  const isLive = (node: NodeRecord): boolean =>
    node.leaseUntil > now && !isProvablyDead(node, self);
  const liveNodes = new Set(nodes.filter(isLive).map(({ id }) => id));
  // What was started before its process had joined has no node (''), and may belong to any process.
  const dead = new Set(
    [...here, ...nodes.map(({ id }) => id)].filter((id) => id !== '' && !liveNodes.has(id)),
  );
  const { stopped, left } = await sweepNodes({ installation, nodes: dead });
  if (stopped.length > 0) log.warn({ processes: stopped }, 'Stopped leftover agent processes');
  if (left.length > 0) log.error({ processes: left }, 'Could not stop leftover agent processes');
  await sweepPrivate(dataDir, dead);
  return stopped.length;
}
