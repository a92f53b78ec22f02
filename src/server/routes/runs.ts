import { runEndpoints } from '../../contract/api/runs.ts';
import type { Api } from '../route.ts';

export function addRunRoutes({ add, sessions }: Api): void {
  const at = runEndpoints;
  add(at.listRuns, async ({ by, query }) => sessions().listRuns(by, query));
  add(at.getRun, async ({ by, params }) => sessions().getRun(by, params.id));
  add(at.editRun, async ({ by, params, body }) => sessions().editRun(by, params.id, body));
  add(at.removeRun, async ({ by, params }) => sessions().removeRun(by, params.id));
  add(at.cancelRun, async ({ by, params }) => sessions().cancelRun(by, params.id));
  add(at.retryRun, async ({ by, params }) => sessions().retryRun(by, params.id));
  add(at.listInvocations, async ({ by, params }) => ({
    items: await sessions().invocations(by, params.id),
  }));
  add(at.queueCounts, async ({ by }) => sessions().counts(by));
}
