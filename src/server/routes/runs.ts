import { runEndpoints } from '../../contract/api/runs.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import type { Api } from '../route.ts';

interface Services {
  readonly runs: RunService;
}

export function addRunRoutes({ add }: Api, services: () => Services): void {
  const at = runEndpoints;
  add(at.listRuns, async ({ by, query }) => services().runs.list(by, query));
  add(at.getRun, async ({ by, params }) => services().runs.get(by, params.id));
  add(at.editRun, async ({ by, params, body }) => services().runs.edit(by, params.id, body));
  add(at.removeRun, async ({ by, params }) => services().runs.remove(by, params.id));
  add(at.cancelRun, async ({ by, params }) => services().runs.cancel(by, params.id));
  add(at.retryRun, async ({ by, params }) => services().runs.retry(by, params.id));
  add(at.listInvocations, async ({ by, params }) => ({
    items: await services().runs.invocations(by, params.id),
  }));
  add(at.queueCounts, async ({ by }) => services().runs.counts(by));
}
