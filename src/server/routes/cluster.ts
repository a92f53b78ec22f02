import type { NodeService } from '../../access/node-service.ts';
import type { StopService } from '../../access/stop-service.ts';
import type { AgentView } from '../../contract/agent.ts';
import { clusterEndpoints } from '../../contract/api/cluster.ts';
import type { HostService } from '../../sessions/host-service.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import type { Api } from '../route.ts';

interface Services {
  readonly hosts: HostService;
  readonly nodes: NodeService;
  readonly runs: RunService;
  readonly stop: StopService;
}

export function addClusterRoutes(
  { add }: Api,
  services: () => Services,
  agents: () => Promise<AgentView[]>,
): void {
  add(clusterEndpoints.listAgents, async () => ({ items: await agents() }));
  add(clusterEndpoints.listHosts, async ({ by }) => ({ items: await services().hosts.list(by) }));
  add(clusterEndpoints.listNodes, async ({ by }) => ({ items: await services().nodes.list(by) }));
  add(clusterEndpoints.getStop, async ({ by }) => services().stop.get(by));
  add(clusterEndpoints.putStop, async ({ by, body }) => services().stop.put(by, body));
  add(clusterEndpoints.getStats, async ({ by }) => services().runs.stats(by));
}
