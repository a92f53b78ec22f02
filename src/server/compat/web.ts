import { type WebRun, webEndpoints } from '../../contract/api/compat-web.ts';
import type { RunView } from '../../contract/run-view.ts';
import { type Api, paged } from '../route.ts';

/** The agentic web's `/api/runs…` and `/api/sessions…` routes. */
export function addCompatWebRoutes({ add, sessions }: Api): void {
  const at = webEndpoints;

  add(at.webStartRun, async ({ by, body, idempotencyKey }) => {
    const message = { message: body.message, onBusy: 'enqueue' } as const;
    const sent = await sessions().send(by, body.session_id, message, idempotencyKey);
    return { run_id: sent.runId, status: 'queued' as const };
  });
  add(at.webGetRun, async ({ by, params }) => toWebRun(await sessions().getRun(by, params.id)));
  add(at.webCancelRun, async ({ by, params }) =>
    toWebRun(await sessions().cancelRun(by, params.id)),
  );
  add(at.webListSessions, async (call) => paged(call, await sessions().list(call.by, call.query)));
  add(at.webCreateSession, async ({ by, body }) => sessions().create(by, body));
  add(at.webGetSession, async ({ by, params }) => sessions().get(by, params.id));
}

const toWebRun = (run: RunView): WebRun => ({
  run_id: run.id,
  session_id: run.sessionId,
  status: run.status,
  input_text: run.message,
  created_at: run.createdAt,
  started_at: run.startedAt,
  finished_at: run.finishedAt,
  cancel_requested_at: run.cancelRequestedAt,
  error_message: run.error?.message ?? null,
});
