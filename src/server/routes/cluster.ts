import type { AccessService } from '../../access/service.ts';
import type { AgentView } from '../../contract/agent.ts';
import { clusterEndpoints } from '../../contract/api/cluster.ts';
import type { Api } from '../route.ts';

export interface ClusterRouteOptions {
  readonly access: () => AccessService;
  readonly agents: () => Promise<AgentView[]>;
}

export function addClusterRoutes(
  { add, sessions }: Api,
  { access, agents }: ClusterRouteOptions,
): void {
  add(clusterEndpoints.listAgents, async () => ({ items: await agents() }));
  add(clusterEndpoints.listHosts, async ({ by }) => ({ items: await sessions().hosts(by) }));
  add(clusterEndpoints.listNodes, async ({ by }) => ({ items: await access().nodes(by) }));
  add(clusterEndpoints.getStop, async ({ by }) => access().stop(by));
  add(clusterEndpoints.putStop, async ({ by, body }) => access().putStop(by, body));
  add(clusterEndpoints.getStats, async ({ by }) => sessions().stats(by));
}
