import { z } from 'zod';
import { RunId } from './ids.ts';
import { Json } from './json.ts';
import { Level } from './level.ts';
import { SessionId } from './session.ts';
import { Time } from './time.ts';

/** A question of an agent, and its answer (A7). */

export const ApprovalId = z.uuid('an approval id is a UUID');
export const ApprovalState = z.enum(['pending', 'allowed', 'denied', 'withdrawn']);
export type ApprovalState = z.infer<typeof ApprovalState>;
/** A tool to be used, a question to the person, a plan to be agreed to. */
export const ApprovalKind = z.enum(['tool', 'question', 'plan']);
export type ApprovalKind = z.infer<typeof ApprovalKind>;
export const ApprovalScope = z.enum(['once', 'session']);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

export const Approval = z.object({
  id: ApprovalId,
  sessionId: SessionId,
  /** What its session is to you: one that is shared to look at is answered by others. */
  level: Level,
  runId: RunId,
  attempt: z.int(),
  kind: ApprovalKind,
  tool: z.string(),
  input: Json,
  /** Secrets in `input` are masked: what the agent uses has more there. See `POST …/{id}/original`. */
  masked: z.boolean(),
  /** Why it is asked, for people. */
  reason: z.string(),
  state: ApprovalState,
  scope: ApprovalScope.nullable(),
  /** What the scope `session` allows from now on; null if that is not known, or it is for once only. */
  sessionRule: z.string().nullable(),
  /** What the person said. */
  message: z.string().nullable(),
  /** What is to be used instead of `input`. */
  editedInput: Json,
  decidedBy: z.string().nullable(),
  createdAt: Time,
  decidedAt: Time.nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** What the agent asked to use, and what a person gave it instead, with the secrets in them. */
export const ApprovalOriginal = z.object({ input: Json, editedInput: Json });
export type ApprovalOriginal = z.infer<typeof ApprovalOriginal>;

export const DecideApproval = z.strictObject({
  decision: z.enum(['allow', 'deny']),
  /** `session` also allows the same later in this session. */
  scope: ApprovalScope.default('once'),
  message: z.string().max(10_000).optional(),
  /** Instead of what the agent wanted; of the same shape. Answers to a question stand in `answers`. */
  input: z.record(z.string().max(200), Json).optional(),
});
export type DecideApproval = z.output<typeof DecideApproval>;
