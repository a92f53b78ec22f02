import { z } from 'zod';
import { RunState } from '../run.ts';
import { EditRun, Invocation, QueueCounts, RunView } from '../run-view.ts';
import { SessionId } from '../session.ts';
import { RunId } from '../values/ids.ts';
import { endpoint, page, pageQuery } from './endpoint.ts';

const group = 'Messages and runs';
const params = z.strictObject({ id: RunId });

export const RunOrder = z.enum(['oldest', 'newest']);
export type RunOrder = z.infer<typeof RunOrder>;

export const runEndpoints = {
  listRuns: endpoint({
    method: 'GET',
    path: '/api/v1/runs',
    summary: 'Runs, sorted by age',
    group,
    query: z.strictObject({
      ...pageQuery,
      sessionId: SessionId.optional(),
      state: RunState.optional(),
      order: RunOrder.optional().describe('Which runs come first; default: `oldest`.'),
    }),
    answer: page(RunView),
  }),
  getRun: endpoint({
    method: 'GET',
    path: '/api/v1/runs/{id}',
    summary: 'One run',
    group,
    params,
    answer: RunView,
    errors: ['not_found'],
  }),
  editRun: endpoint({
    method: 'PATCH',
    path: '/api/v1/runs/{id}',
    summary: 'Change the message or the position of a queued run',
    group,
    params,
    body: EditRun,
    example: { message: 'git status --short', before: null },
    answer: RunView,
    errors: ['not_found', 'run_not_queued', 'policy_denied'],
  }),
  removeRun: endpoint({
    method: 'DELETE',
    path: '/api/v1/runs/{id}',
    summary: 'Remove a queued run',
    group,
    params,
    errors: ['not_found', 'run_not_queued'],
  }),
  cancelRun: endpoint({
    method: 'POST',
    path: '/api/v1/runs/{id}/cancel',
    summary: 'Cancel a run',
    group,
    params,
    answer: RunView,
    errors: ['not_found', 'run_finished'],
  }),
  retryRun: endpoint({
    method: 'POST',
    path: '/api/v1/runs/{id}/retry',
    summary: 'Retry a finished run as a new run at the head of the queue',
    group,
    params,
    status: 201,
    answer: RunView,
    errors: ['not_found', 'run_not_finished', 'session_ended', 'queue_full', 'policy_denied'],
  }),
  listInvocations: endpoint({
    method: 'GET',
    path: '/api/v1/runs/{id}/invocations',
    summary: 'The agent processes of a run',
    group,
    params,
    answer: z.object({ items: z.array(Invocation) }),
    errors: ['not_found'],
  }),
  queueCounts: endpoint({
    method: 'GET',
    path: '/api/v1/queue/counts',
    summary: 'Runs by state',
    group,
    answer: QueueCounts,
  }),
};
