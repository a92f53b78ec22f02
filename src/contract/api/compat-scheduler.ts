import { z } from 'zod';
import {
  isShortMetadata,
  MessageReceipt,
  MessageRequest,
  MessageText,
  SHORT_METADATA,
  ToolRules,
} from '../message.ts';
import { CreateSession, SessionId, SessionStatus } from '../session.ts';
import { SessionEvent } from '../session-event.ts';
import { RunId } from '../values/ids.ts';
import { Json } from '../values/json.ts';
import { Time } from '../values/time.ts';
import { endpoint, flagIn, pageQuery } from './endpoint.ts';
import { EventPage, StreamQuery } from './streams.ts';

/* The routes of the session scheduler (H8): other names for operations of the API. */

const group = 'Compatibility';
const params = z.strictObject({ id: SessionId });

export const SchedulerSession = z.object({
  session_id: SessionId,
  name: z.string(),
  status: SessionStatus,
  labels: z.array(z.string()),
  last_response: z.string().nullable(),
  cost_usd: z.number(),
  created_at: Time,
  last_active_at: Time,
  archived_at: Time.nullable(),
});
export type SchedulerSession = z.infer<typeof SchedulerSession>;

/** `origin` and `user` are stored but have no effect: channel and sender follow from the credential. */
const Metadata = z
  .object({
    origin: z.string().max(100).optional(),
    user: z.string().max(200).optional(),
    allowed_tools: ToolRules.optional(),
    disallowed_tools: ToolRules.optional(),
  })
  .catchall(Json)
  .refine(
    (metadata) => Object.keys(metadata).every((key) => key.length <= 100),
    'a key can have at most 100 characters',
  )
  .refine(isShortMetadata, SHORT_METADATA);

export const SchedulerMessage = z
  .strictObject({
    ...MessageRequest.shape,
    message: MessageText.optional(),
    prompt: MessageText.optional().describe('Another name for `message`.'),
    metadata: Metadata.optional(),
  })
  .refine((body) => (body.message === undefined) !== (body.prompt === undefined), {
    message: 'give either `message` or `prompt`, not both',
    path: ['prompt'],
  })
  .refine((body) => !body.allowedTools || !body.metadata?.allowed_tools, {
    message: 'is also given as `allowedTools`',
    path: ['metadata', 'allowed_tools'],
  })
  .refine((body) => !body.disallowedTools || !body.metadata?.disallowed_tools, {
    message: 'is also given as `disallowedTools`',
    path: ['metadata', 'disallowed_tools'],
  });
export type SchedulerMessage = z.output<typeof SchedulerMessage>;

const SchedulerReceipt = z.object({
  job_id: RunId,
  session_id: SessionId,
  status: MessageReceipt.shape.status,
  position: z.int(),
});

const SchedulerCost = z.object({
  source: z
    .string()
    .describe('Source of the figures: `claude_cli_json` for Claude, otherwise the kind of agent.'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_creation_tokens: z.int(),
  cache_read_tokens: z.int(),
  model: z.string().nullable(),
  cost_usd: z.number(),
});

export const schedulerEndpoints = {
  schedulerListSessions: endpoint({
    method: 'GET',
    path: '/sessions',
    summary: 'Sessions and their status, newest first',
    group,
    paged: true,
    query: z.strictObject(pageQuery),
    answer: z.array(SchedulerSession),
  }),
  schedulerCreateSession: endpoint({
    method: 'POST',
    path: '/sessions',
    summary: 'Create a session',
    group,
    body: CreateSession,
    example: { name: 'fix-login', agent: { kind: 'shell' } },
    status: 201,
    answer: SchedulerSession,
    errors: ['name_taken', 'not_available'],
  }),
  schedulerGetSession: endpoint({
    method: 'GET',
    path: '/sessions/{id}',
    summary: 'One session',
    group,
    params,
    answer: SchedulerSession,
    errors: ['not_found'],
  }),
  schedulerDeleteSession: endpoint({
    method: 'DELETE',
    path: '/sessions/{id}',
    summary: 'Delete a session with its runs and log, or archive it',
    group,
    level: 'own',
    params,
    query: z.strictObject({
      archive: flagIn.optional().describe('`true` archives it instead; nothing is lost.'),
    }),
    errors: ['not_found', 'session_protected', 'session_busy'],
  }),
  schedulerSendMessage: endpoint({
    method: 'POST',
    path: '/sessions/{id}/messages',
    summary: 'Queue a message, given as `message` or as `prompt` with `metadata`',
    group,
    params,
    body: SchedulerMessage,
    example: {
      prompt: 'git status',
      metadata: { origin: 'line', user: 'U1234567890', disallowed_tools: ['Bash(git push)'] },
    },
    status: 202,
    answer: SchedulerReceipt,
    idempotent: true,
    errors: [
      'not_found',
      'session_ended',
      'session_busy',
      'cannot_steer',
      'queue_full',
      'idempotency_conflict',
    ],
  }),
  schedulerGetCost: endpoint({
    method: 'GET',
    path: '/sessions/{id}/cost',
    summary: 'The cost of a session',
    group,
    params,
    answer: SchedulerCost,
    errors: ['not_found'],
  }),
  schedulerSessionEvents: endpoint({
    method: 'GET',
    path: '/sessions/{id}/events',
    summary: 'The log of a session: stored events, then new ones as they happen',
    group,
    params,
    query: StreamQuery,
    answer: EventPage,
    format: 'events',
    item: SessionEvent,
    errors: ['not_found', 'cursor_ahead', 'too_many_streams'],
  }),
};
