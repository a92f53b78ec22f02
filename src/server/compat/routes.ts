import type { Api } from '../route.ts';
import { addSchedulerRoutes } from './scheduler.ts';
import { addWebRoutes } from './web.ts';

/** The routes of the source documents: other names for operations of the API (H8). */
export function addCompatRoutes(api: Api): void {
  addSchedulerRoutes(api);
  addWebRoutes(api);
}
