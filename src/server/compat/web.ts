import { type WebRun, webEndpoints } from '../../contract/api/compat-web.ts';
import type { RunView } from '../../contract/run-view.ts';
import type { MessageService } from '../../sessions/messages/message-service.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import type { SessionService } from '../../sessions/session-service.ts';
import { type Api, paged } from '../route.ts';

interface Services {
  readonly messages: MessageService;
  readonly runs: RunService;
  readonly sessions: SessionService;
}

/** The agentic web's `/api/runs…` and `/api/sessions…` routes. */
export function addCompatWebRoutes({ add }: Api, services: () => Services): void {
  const at = webEndpoints;

  add(at.webStartRun, async ({ by, body, idempotencyKey }) => {
    const message = { message: body.message, onBusy: 'enqueue' } as const;
    const sent = await services().messages.send(by, body.session_id, message, idempotencyKey);
    return { run_id: sent.runId, status: 'queued' as const };
  });
  add(at.webGetRun, async ({ by, params }) => toWebRun(await services().runs.get(by, params.id)));
  add(at.webCancelRun, async ({ by, params }) =>
    toWebRun(await services().runs.cancel(by, params.id)),
  );
  add(at.webListSessions, async (call) =>
    paged(call, await services().sessions.list(call.by, call.query)),
  );
  add(at.webCreateSession, async ({ by, body }) => services().sessions.create(by, body));
  add(at.webGetSession, async ({ by, params }) => services().sessions.get(by, params.id));
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
