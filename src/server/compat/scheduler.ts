import {
  type SchedulerMessage,
  type SchedulerSession,
  schedulerEndpoints,
} from '../../contract/api/compat-scheduler.ts';
import type { MessageRequest } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import type { CostService } from '../../sessions/costs/cost-service.ts';
import type { MessageService } from '../../sessions/messages/message-service.ts';
import type { SessionService } from '../../sessions/session-service.ts';
import { type Api, paged } from '../route.ts';

interface Services {
  readonly costs: CostService;
  readonly messages: MessageService;
  readonly sessions: SessionService;
}

/** The session scheduler's `/sessions…` routes. */
export function addCompatSchedulerRoutes({ add }: Api, services: () => Services): void {
  const at = schedulerEndpoints;

  add(at.schedulerListSessions, async (call) =>
    paged(call, await services().sessions.list(call.by, call.query)).map(toSchedulerSession),
  );
  add(at.schedulerCreateSession, async ({ by, body }) =>
    toSchedulerSession(await services().sessions.create(by, body)),
  );
  add(at.schedulerGetSession, async ({ by, params }) =>
    toSchedulerSession(await services().sessions.get(by, params.id)),
  );
  add(at.schedulerDeleteSession, async ({ by, params, query }) => {
    if (query.archive === true) {
      await services().sessions.act(by, params.id, 'archive', at.schedulerDeleteSession.level);
    } else await services().sessions.remove(by, params.id);
  });
  add(at.schedulerSendMessage, async ({ by, params, body, idempotencyKey }) => {
    const message = toMessage(body);
    const sent = await services().messages.send(by, params.id, message, idempotencyKey);
    const { runId, sessionId, status, position } = sent;
    return { job_id: runId, session_id: sessionId, status, position };
  });
  add(at.schedulerGetCost, async ({ by, params }) => {
    const { agent } = await services().sessions.get(by, params.id);
    const cost = await services().costs.ofSession(by, params.id);
    // Source and model are taken from the most expensive model or, before there are costs, from the
    // session's settings.
    const [most] = cost.models.filter(({ source }) => source !== null);
    return {
      source: sourceOf(most?.source ?? agent.kind),
      input_tokens: cost.inputTokens,
      output_tokens: cost.outputTokens,
      cache_creation_tokens: cost.cacheCreationTokens,
      cache_read_tokens: cost.cacheReadTokens,
      model: most?.model ?? agent.model ?? null,
      cost_usd: cost.costUsd,
    };
  });
}

const toSchedulerSession = (session: Session): SchedulerSession => ({
  session_id: session.id,
  name: session.name,
  status: session.status,
  labels: session.labels,
  last_response: session.lastResponse,
  cost_usd: session.costUsd,
  created_at: session.createdAt,
  last_active_at: session.lastActiveAt,
  archived_at: session.archivedAt,
});

/**
 * Tool rules may be at the top level or in the metadata. A user named in the metadata is stored but
 * otherwise ignored.
 */
export function toMessage({
  prompt,
  message,
  metadata,
  ...rest
}: SchedulerMessage): MessageRequest {
  const { allowed_tools, disallowed_tools, ...others } = metadata ?? {};
  return {
    ...rest,
    // The schema requires `message` or `prompt`.
    message: message ?? prompt ?? '',
    ...(allowed_tools === undefined ? {} : { allowedTools: allowed_tools }),
    ...(disallowed_tools === undefined ? {} : { disallowedTools: disallowed_tools }),
    ...(metadata === undefined ? {} : { metadata: others }),
  };
}

/** The scheduler's name for Claude Code's result line. */
const sourceOf = (source: string): string =>
  source.startsWith('claude') ? 'claude_cli_json' : source;
