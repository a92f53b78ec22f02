import {
  type SchedulerMessage,
  type SchedulerSession,
  schedulerEndpoints,
} from '../../contract/api/compat-scheduler.ts';
import type { MessageRequest } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { type Api, paged } from '../route.ts';

/** The session scheduler's `/sessions…` routes. */
export function addCompatSchedulerRoutes({ add, sessions }: Api): void {
  const at = schedulerEndpoints;

  add(at.schedulerListSessions, async (call) =>
    paged(call, await sessions().list(call.by, call.query)).map(toSchedulerSession),
  );
  add(at.schedulerCreateSession, async ({ by, body }) =>
    toSchedulerSession(await sessions().create(by, body)),
  );
  add(at.schedulerGetSession, async ({ by, params }) =>
    toSchedulerSession(await sessions().get(by, params.id)),
  );
  add(at.schedulerDeleteSession, async ({ by, params, query }) => {
    if (query.archive === true) {
      await sessions().act(by, params.id, 'archive', at.schedulerDeleteSession.level);
    } else await sessions().remove(by, params.id);
  });
  add(at.schedulerSendMessage, async ({ by, params, body, idempotencyKey }) => {
    const message = toMessage(body);
    const sent = await sessions().send(by, params.id, message, idempotencyKey);
    const { runId, sessionId, status, position } = sent;
    return { job_id: runId, session_id: sessionId, status, position };
  });
  add(at.schedulerGetCost, async ({ by, params }) => {
    const { agent } = await sessions().get(by, params.id);
    const cost = await sessions().cost(by, params.id);
    // Taken from the most expensive model or, before there are costs, from the session's settings.
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

/** Tool rules may be in either place; the user named in the metadata is only stored. */
export function toMessage({
  prompt,
  message,
  metadata,
  ...rest
}: SchedulerMessage): MessageRequest {
  const { allowed_tools, disallowed_tools, ...others } = metadata ?? {};
  return {
    ...rest,
    // The schema requires one of them.
    message: message ?? prompt ?? '',
    ...(allowed_tools === undefined ? {} : { allowedTools: allowed_tools }),
    ...(disallowed_tools === undefined ? {} : { disallowedTools: disallowed_tools }),
    ...(metadata === undefined ? {} : { metadata: others }),
  };
}

/** The scheduler's name for Claude Code's result line. */
const sourceOf = (source: string): string =>
  source.startsWith('claude') ? 'claude_cli_json' : source;
