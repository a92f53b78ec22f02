import { costEndpoints } from '../../contract/api/cost.ts';
import type { CostService } from '../../sessions/costs/cost-service.ts';
import type { Api } from '../route.ts';

interface Services {
  readonly costs: CostService;
}

export function addCostRoutes({ add }: Api, services: () => Services): void {
  add(costEndpoints.listCosts, async ({ by, query }) => ({
    items: await services().costs.list(by, query),
  }));
}
