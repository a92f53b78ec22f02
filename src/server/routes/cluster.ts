import type { AccessService } from '../../access/service.ts';
import { clusterEndpoints } from '../../contract/api/cluster.ts';
import type { Api } from '../route.ts';

export function addClusterRoutes({ add, sessions }: Api, access: () => AccessService): void {
  add(clusterEndpoints.listNodes, async ({ by }) => ({ items: await access().nodes(by) }));
  add(clusterEndpoints.getStats, async ({ by }) => sessions().stats(by));
}
