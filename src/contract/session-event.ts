import { z } from 'zod';
import { ApprovalId, ApprovalKind, ApprovalScope } from './approval.ts';
import { Artefact } from './artefact.ts';
import type { LogEvent } from './event.ts';
import { PolicyScope } from './policy.ts';
import { Session, SessionStatus, StatusReason } from './session.ts';
import { RunId } from './values/ids.ts';
import { Json } from './values/json.ts';
import { Time, toTime } from './values/time.ts';
import { WorkspaceStatus } from './workspace.ts';

/** An event as the API and the streams show it (SPEC §12). */
export const SessionEvent = z.object({
  seq: z.int(),
  sessionId: z.string(),
  runId: RunId.nullable(),
  attempt: z.int().nullable(),
  type: z.string(),
  payload: Json,
  at: Time,
});
export type SessionEvent = z.infer<typeof SessionEvent>;

export const toSessionEvent = (event: LogEvent): SessionEvent => ({
  seq: event.seq,
  sessionId: event.lane,
  runId: event.runId,
  attempt: event.attempt,
  type: event.type,
  payload: event.payload,
  at: toTime(event.at),
});

/** `callId` is the agent's own id for the call. */
const question = { approvalId: ApprovalId, callId: z.string() };

/** A file in the workspace that changed. */
export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted']),
});
export type FileChange = z.infer<typeof FileChange>;

/** The events of sessions and agents, in addition to the queue's own (contract/event.ts). */
export const SESSION_EVENTS = {
  'session.created': z.object({ name: z.string(), forkedFrom: z.string().optional() }),
  'session.status': z.object({
    from: SessionStatus,
    to: SessionStatus,
    reason: StatusReason,
    error: z.string().optional(),
  }),
  /**
   * The session moved to another host (Q23). `from` and `to` are host ids; `from` is null if the
   * session had no host before.
   */
  'session.moved': z.object({
    from: z.string().nullable(),
    to: z.string(),
    // Events from versions without host names do not have these fields.
    fromName: z.string().nullable().optional(),
    toName: z.string().optional(),
  }),
  'session.connections': z.object({ activeConnections: z.int() }),
  'session.cost': z.object({ costUsd: z.number() }),
  /** The workspace is ready, or could not be prepared; `message` says why. */
  'workspace.status': z.object({
    status: WorkspaceStatus.extract(['running', 'failed']),
    message: z.string().optional(),
  }),
  'agent.init': z.object({ agent: z.string(), cwd: z.string(), model: z.string().optional() }),
  /** A piece of the agent's output; may be removed once the complete message is stored. */
  'agent.delta': z.object({ text: z.string(), stream: z.enum(['stdout', 'stderr']).optional() }),
  'agent.message': z.object({ text: z.string(), truncated: z.boolean().optional() }),
  /** `gap`: from here on, the log does not contain all of the agent's output (E10). */
  'agent.notice': z.object({ text: z.string(), gap: z.literal(true).optional() }),
  'agent.thinking': z.object({ text: z.string(), truncated: z.boolean().optional() }),
  /**
   * Stored before the agent gets a response (Q16). `parent` is the call that started the subagent.
   */
  'agent.tool_use': z.object({
    id: z.string(),
    tool: z.string(),
    input: Json,
    truncated: z.boolean().optional(),
    parent: z.string().optional(),
  }),
  'agent.tool_result': z.object({
    id: z.string(),
    tool: z.string().optional(),
    ok: z.boolean(),
    text: z.string(),
    truncated: z.boolean().optional(),
    /** The agent was stopped during the call, so it is unknown how far the call got. */
    cutOff: z.boolean().optional(),
    /** Where to get the full text if it was truncated. */
    artefact: Artefact.optional(),
  }),
  /** The usage of one agent process since its previous report (A5). */
  'agent.usage': z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheCreationTokens: z.number(),
    cacheReadTokens: z.number(),
    model: z.string().nullable(),
    costUsd: z.number(),
    source: z.string(),
  }),
  /** How prior attempts changed the workspace, logged before the next attempt starts (Q16). */
  'run.retry_diff': z.object({
    /** The changes are relative to the start of this attempt. */
    sinceAttempt: z.int(),
    files: z.array(FileChange),
    patch: z.string().optional(),
    /** True if there may be more changes than listed. */
    truncated: z.boolean(),
    /** A human-readable explanation of what could not be compared. */
    note: z.string().optional(),
  }),
  /**
   * A message sent to the agent while it was working (Q11), masked. Only the end of a long message
   * is kept.
   */
  'run.steered': z.object({
    steerId: z.string(),
    text: z.string(),
    sender: z.string(),
    channel: z.string(),
    truncated: z.boolean().optional(),
  }),
  /**
   * How close a usage limit is: `allowed`, `allowed_warning`, `rejected`, or a value added later.
   */
  'agent.limit': z.object({
    status: z.string(),
    resetsAt: Time.nullable(),
    kind: z.string().nullable(),
  }),
  /** A question from the agent. The approval itself contains the full input. */
  'approval.requested': z.object({
    ...question,
    tool: z.string(),
    kind: ApprovalKind,
    input: Json,
    reason: z.string(),
    /** If true, `input` is only the beginning of the input, as text. */
    truncated: z.boolean().optional(),
  }),
  'approval.decided': z.object({
    ...question,
    decision: z.enum(['allow', 'deny']),
    scope: ApprovalScope,
    by: z.string(),
    edited: z.boolean(),
  }),
  'approval.withdrawn': z.object({ ...question, reason: z.string() }),
  /** A call that must not run twice was allowed without asking anyone (Q16). */
  'policy.allowed': z.object({ callId: z.string(), tool: z.string(), reason: z.string() }),
  /** The policy denied a tool call, or a message that amounts to one (P3). */
  'policy.denied': z.object({
    callId: z.string().optional(),
    tool: z.string(),
    input: Json,
    scope: PolicyScope,
    rule: z.string().nullable(),
    reason: z.string(),
    truncated: z.boolean().optional(),
  }),
} as const;

/**
 * One line of the hint stream for all sessions (E9). `all` means that the list should be loaded
 * again.
 */
export const SessionHint = z.union([
  Session.pick({
    lastSeq: true,
    status: true,
    held: true,
    delayedUntil: true,
    unfinishedRuns: true,
    openQuestions: true,
    lastActiveAt: true,
    /** If this time has changed, other fields of the session may also have changed. */
    updatedAt: true,
  }).extend({ sessionId: z.string() }),
  z.object({ all: z.literal(true) }),
]);
export type SessionHint = z.infer<typeof SessionHint>;
