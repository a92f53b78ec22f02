import { costEndpoints } from '../../contract/api/cost.ts';
import type { Api } from '../route.ts';

export function addCostRoutes({ add, sessions }: Api): void {
  add(costEndpoints.listCosts, async ({ by, query }) => ({
    items: await sessions().costs(by, query),
  }));
}
