import { z } from 'zod';
import { cutDepth } from '../../contract/functions/cut-depth.ts';
import { Json } from '../../contract/values/json.ts';

/*
 * What Claude Code prints with `--output-format stream-json`: one JSON object per line. The schemas
 * require only what we use, so lines from other versions parse as well.
 */

const JsonObject = z.record(z.string(), Json);

const Init = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id: z.string(),
  model: z.string().optional(),
  claude_code_version: z.string().optional(),
  tools: z.array(z.string()).optional(),
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })).default([]),
});

/**
 * Background work. Background agents cause another turn when they are done; background commands may
 * never end.
 */
const Background = z
  .object({
    type: z.literal('system'),
    subtype: z.literal('background_tasks_changed'),
    tasks: z.array(z.object({ task_type: z.string() })),
  })
  .transform(({ tasks }) => ({
    type: 'background' as const,
    agents: tasks.filter((task) => task.task_type !== 'local_bash').length,
  }));

/** Every other line of type `system`. */
const News = z
  .looseObject({ type: z.literal('system'), subtype: z.string() })
  .transform(({ subtype, ...fields }) => ({ type: 'news' as const, subtype, fields }));
export type NewsLine = z.output<typeof News>;

/** A message block that we do not use. */
const Other = z.looseObject({ type: z.string() }).transform(() => ({ type: 'other' as const }));

const parent = z.string().nullish();

const Block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: JsonObject.default({}),
  }),
  Other,
]);

const Tokens = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  /** Cache writes by lifetime; the total is above. */
  cache_creation: z.object({ ephemeral_1h_input_tokens: z.number().nullish() }).nullish(),
});
export type Tokens = z.output<typeof Tokens>;

/** A response from the model: one line per block. */
const Assistant = z.object({
  type: z.literal('assistant'),
  parent_tool_use_id: parent,
  uuid: z.string().optional(),
  /** Set if the response only reports an error. */
  error: z.string().nullish(),
  message: z.object({
    id: z.string().optional(),
    model: z.string().optional(),
    usage: Tokens.optional().catch(undefined),
    content: z.array(Block),
  }),
});

const ToolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z
    .union([
      z.string(),
      z.array(z.object({ type: z.string(), text: z.string().optional().catch(undefined) })),
    ])
    .optional(),
});
export type ToolResultContent = z.output<typeof ToolResult>['content'];

const User = z.object({
  type: z.literal('user'),
  parent_tool_use_id: parent,
  uuid: z.string().optional(),
  /** Our own message, confirmed as read. */
  isReplay: z.boolean().optional(),
  message: z.object({
    content: z.union([z.string(), z.array(z.union([ToolResult, Other]))]),
  }),
});

/** A piece of a response, printed while the model is writing it. */
const StreamEvent = z.object({
  type: z.literal('stream_event'),
  parent_tool_use_id: parent,
  event: z.object({
    type: z.string(),
    delta: z.object({ type: z.string().optional(), text: z.string().optional() }).optional(),
    message: z
      .object({
        id: z.string().optional(),
        model: z.string().optional(),
        usage: Tokens.optional(),
      })
      .optional(),
    usage: Tokens.optional(),
  }),
});

const ModelUsage = z.record(
  z.string(),
  z.object({
    inputTokens: z.number().default(0),
    outputTokens: z.number().default(0),
    cacheReadInputTokens: z.number().default(0),
    cacheCreationInputTokens: z.number().default(0),
    costUSD: z.number().default(0),
  }),
);
export type ModelUsage = z.output<typeof ModelUsage>;

/** The end of a turn. */
const Result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.string().nullish(),
  errors: z.array(z.string()).nullish(),
  num_turns: z.number().default(0),
  api_error_status: z.number().nullish(),
  terminal_reason: z.string().nullish(),
  modelUsage: ModelUsage.optional(),
  /** The process's usage since its last result; reported only by the newest versions. */
  model_usage_since_last_result: ModelUsage.optional(),
});
export type ResultLine = z.output<typeof Result>;

const LAST_SECOND = Date.UTC(9999, 0) / 1000;

const RateLimit = z.object({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.object({
    status: z.string(),
    /** In seconds; an implausible time counts as unknown. */
    resetsAt: z.number().min(0).max(LAST_SECOND).nullish().catch(null),
    rateLimitType: z.string().nullish(),
  }),
});
export type RateLimit = z.output<typeof RateLimit>['rate_limit_info'];

const ControlRequest = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.union([
    z.object({
      subtype: z.literal('can_use_tool'),
      tool_name: z.string(),
      input: JsonObject,
      tool_use_id: z.string().optional(),
      /** Set by `parseLine`: `input` is only a part of what the agent sent. */
      isCut: z.boolean().optional(),
    }),
    z.looseObject({ subtype: z.string() }).transform(() => ({ subtype: 'other' as const })),
  ]),
});
export type ControlRequest = z.output<typeof ControlRequest>;

const ControlCancel = z.object({
  type: z.literal('control_cancel_request'),
  request_id: z.string(),
});

/** The response to our interrupt, or an echo of our own response. */
const ControlResponse = z.looseObject({ type: z.literal('control_response') });

/** What became of one of our messages. */
const Lifecycle = z.object({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: z.string(),
});

/** `/clear` starts another conversation; the next lines have its id. */
const Reset = z.looseObject({ type: z.literal('conversation_reset') });

const KeepAlive = z.looseObject({ type: z.literal('keep_alive') });

const Line = z.union([
  z.discriminatedUnion('type', [
    Assistant,
    User,
    StreamEvent,
    Result,
    RateLimit,
    ControlRequest,
    ControlCancel,
    ControlResponse,
    Lifecycle,
    Reset,
    KeepAlive,
  ]),
  Init,
  Background,
  News,
]);

/** A line in an unknown format. */
export interface UnknownLine {
  readonly type: 'unknown';
  readonly text: string;
}
export type Line = z.output<typeof Line> | UnknownLine;

export function parseLine(text: string): Line {
  try {
    const { value, isCut } = cutDepth(JSON.parse(text) as Json);
    const parsed = Line.safeParse(value);
    if (!parsed.success) return { type: 'unknown', text };
    const line = parsed.data;
    if (isCut && line.type === 'control_request' && line.request.subtype === 'can_use_tool') {
      return { ...line, request: { ...line.request, isCut } };
    }
    return line;
  } catch {
    return { type: 'unknown', text };
  }
}
