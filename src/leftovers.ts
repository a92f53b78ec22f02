import type { Logger } from 'pino';
import { sweepLeftovers } from './agents/sweep.ts';
import type { NodeRecord } from './contract/node.ts';
import { isProvablyDead, type ProcessIdentity } from './queue/process-identity.ts';
import type { Store } from './queue/store.ts';

/**
 * What agents of dead nodes left running on this machine is stopped before anything new starts (A9).
 * Answers how many processes it was.
 */
export async function stopLeftovers(
  store: Pick<Store, 'listNodes' | 'time'>,
  installation: string,
  self: ProcessIdentity,
  log: Logger,
): Promise<number> {
  const [nodes, now] = [await store.listNodes(), await store.time()];
  const isLive = (node: NodeRecord): boolean =>
    node.leaseUntil > now && !isProvablyDead(node, self);
  const liveNodes = new Set(nodes.filter(isLive).map(({ id }) => id));
  // This process has not joined yet, and so has no agents.
  const { stopped, left } = await sweepLeftovers({ installation, self: '', liveNodes });
  if (stopped.length > 0) log.warn({ processes: stopped }, 'Leftovers of agents were stopped');
  if (left.length > 0) log.error({ processes: left }, 'Leftovers of agents cannot be stopped');
  return stopped.length;
}
