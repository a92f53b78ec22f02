import type { Logger } from 'pino';
import { sweepPrivate } from '../agents/private-dir.ts';
import { sweepLeftovers } from '../agents/sweep.ts';
import type { NodeRecord } from '../contract/node.ts';
import { isProvablyDead, type ProcessIdentity } from '../queue/node/process-identity.ts';
import type { Store } from '../queue/store.ts';

export interface LeftoverOptions {
  readonly store: Pick<Store, 'listNodes' | 'time'>;
  readonly installation: string;
  readonly self: ProcessIdentity;
  readonly dataDir: string;
  readonly log: Logger;
}

/**
 * What agents of dead nodes left running on this machine is stopped before anything new starts (A9),
 * and their private files go. Answers how many processes it was.
 */
export async function stopLeftovers(options: LeftoverOptions): Promise<number> {
  const { store, installation, self, dataDir, log } = options;
  const [nodes, now] = [await store.listNodes(), await store.time()];
  const isLive = (node: NodeRecord): boolean =>
    node.leaseUntil > now && !isProvablyDead(node, self);
  const liveNodes = new Set(nodes.filter(isLive).map(({ id }) => id));
  // This process has not joined yet, and so has no agents.
  const { stopped, left } = await sweepLeftovers({ installation, self: '', liveNodes });
  if (stopped.length > 0) log.warn({ processes: stopped }, 'Leftovers of agents were stopped');
  if (left.length > 0) log.error({ processes: left }, 'Leftovers of agents cannot be stopped');
  await sweepPrivate(dataDir, liveNodes);
  return stopped.length;
}
