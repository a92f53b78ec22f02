import { z } from 'zod';
import { ApprovalId, ApprovalKind, ApprovalScope } from './approval.ts';
import { Artefact } from './artefact.ts';
import type { LogEvent } from './event.ts';
import { RunId } from './ids.ts';
import { Json } from './json.ts';
import { PolicyScope } from './policy.ts';
import { Session, SessionStatus, StatusReason } from './session.ts';
import { Time, toTime } from './time.ts';
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

/** `callId` is the agent's own name of the call. */
const question = { approvalId: ApprovalId, callId: z.string() };

/** A file of a workspace that is not as it was. */
export const FileChange = z.object({
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted']),
});
export type FileChange = z.infer<typeof FileChange>;

/** What sessions and agents write beside the queue's own events (contract/event.ts). */
export const SESSION_EVENTS = {
  'session.created': z.object({ name: z.string(), forkedFrom: z.string().optional() }),
  'session.status': z.object({
    from: SessionStatus,
    to: SessionStatus,
    reason: StatusReason,
    error: z.string().optional(),
  }),
  /** To another host (Q23); from none if it had none. */
  'session.moved': z.object({ from: z.string().nullable(), to: z.string() }),
  'session.connections': z.object({ activeConnections: z.int() }),
  'session.cost': z.object({ costUsd: z.number() }),
  /** It is there, or could not be prepared; `message` says why. */
  'workspace.status': z.object({
    status: WorkspaceStatus.extract(['running', 'failed']),
    message: z.string().optional(),
  }),
  'agent.init': z.object({ agent: z.string(), cwd: z.string(), model: z.string().optional() }),
  /** A piece of what the agent says; may be removed once its message is stored. */
  'agent.delta': z.object({ text: z.string(), stream: z.enum(['stdout', 'stderr']).optional() }),
  'agent.message': z.object({ text: z.string(), truncated: z.boolean().optional() }),
  /** `gap`: from here on the log does not have all that the agent says (E10). */
  'agent.notice': z.object({ text: z.string(), gap: z.literal(true).optional() }),
  'agent.thinking': z.object({ text: z.string(), truncated: z.boolean().optional() }),
  /** Stored before it is answered (Q16). `parent` is the call of a subagent that made it. */
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
    /** The agent was told to stop: what the call has done by then is not known. */
    cutOff: z.boolean().optional(),
    /** Where all of a text that was cut is. */
    artefact: Artefact.optional(),
  }),
  /** Of one process, by difference (A5). */
  'agent.usage': z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheCreationTokens: z.number(),
    cacheReadTokens: z.number(),
    model: z.string().nullable(),
    costUsd: z.number(),
    source: z.string(),
  }),
  /** What earlier attempts have done to the workspace, before the next one begins (Q16). */
  'run.retry_diff': z.object({
    /** It is told against this attempt's start. */
    sinceAttempt: z.int(),
    files: z.array(FileChange),
    patch: z.string().optional(),
    /** There may be more than is told. */
    truncated: z.boolean(),
    /** What could not be seen, for people. */
    note: z.string().optional(),
  }),
  /** A message for the agent at work (Q11); masked, and its end if it is long. */
  'run.steered': z.object({
    steerId: z.string(),
    text: z.string(),
    sender: z.string(),
    channel: z.string(),
    truncated: z.boolean().optional(),
  }),
  /** How near a usage limit is: `allowed`, `allowed_warning`, `rejected`, or what comes to be. */
  'agent.limit': z.object({
    status: z.string(),
    resetsAt: Time.nullable(),
    kind: z.string().nullable(),
  }),
  /** A question of the agent; the approval itself has the input whole. */
  'approval.requested': z.object({
    ...question,
    tool: z.string(),
    kind: ApprovalKind,
    input: Json,
    reason: z.string(),
    /** The input is the beginning of its text. */
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
  /** A call that must not run twice was allowed without a question to anybody (Q16). */
  'policy.allowed': z.object({ callId: z.string(), tool: z.string(), reason: z.string() }),
  /** A tool call, or a message that is one (P3). */
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

/** One line of the hint stream over all sessions (E9). `all` asks to load the list again. */
export const SessionHint = z.union([
  Session.pick({
    lastSeq: true,
    status: true,
    held: true,
    delayedUntil: true,
    unfinishedRuns: true,
    openQuestions: true,
    lastActiveAt: true,
    /** If it is another than before, more of the session may have changed than is told here. */
    updatedAt: true,
  }).extend({ sessionId: z.string() }),
  z.object({ all: z.literal(true) }),
]);
export type SessionHint = z.infer<typeof SessionHint>;
