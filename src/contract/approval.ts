import { z } from 'zod';
import { Level } from './level.ts';
import { EDITED_INPUT_MAX } from './limits.ts';
import { SessionId } from './session.ts';
import { RunId } from './values/ids.ts';
import { Json } from './values/json.ts';
import { Time } from './values/time.ts';

/* A question that an agent asks before it uses a tool, and its answer (A7). */

export const ApprovalId = z.uuid('an approval id is a UUID');
export const ApprovalState = z.enum(['pending', 'allowed', 'denied', 'withdrawn']);
export type ApprovalState = z.infer<typeof ApprovalState>;
/** What is asked for: permission to use a tool, an answer from the user, or approval of a plan. */
export const ApprovalKind = z.enum(['tool', 'question', 'plan']);
export type ApprovalKind = z.infer<typeof ApprovalKind>;
export const ApprovalScope = z.enum(['once', 'session']);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

export const Approval = z.object({
  id: ApprovalId,
  sessionId: SessionId,
  /** The caller's access to the session; if it is `view`, only others can answer. */
  level: Level,
  runId: RunId,
  attempt: z.int(),
  kind: ApprovalKind,
  tool: z.string(),
  input: Json,
  /**
   * `input` contains masks in place of the secrets in the agent's own input. See
   * `POST …/{id}/original`.
   */
  masked: z.boolean(),
  /** A human-readable explanation of why approval is required. */
  reason: z.string(),
  state: ApprovalState,
  scope: ApprovalScope.nullable(),
  /**
   * The rule that the scope `session` adds; null if no rule fits, or if only `once` is possible.
   */
  sessionRule: z.string().nullable(),
  /** The message given with the answer. */
  message: z.string().nullable(),
  /** Replaces `input`. */
  editedInput: Json,
  decidedBy: z.string().nullable(),
  createdAt: Time,
  decidedAt: Time.nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** The agent's input and its edited replacement, both unmasked. */
export const ApprovalOriginal = z.object({ input: Json, editedInput: Json });
export type ApprovalOriginal = z.infer<typeof ApprovalOriginal>;

export const DecideApproval = z.strictObject({
  decision: z.enum(['allow', 'deny']),
  /** `session` also allows the same call later in this session. */
  scope: ApprovalScope.default('once'),
  message: z.string().max(10_000).optional(),
  /**
   * Replaces the agent's input and must have the same shape. Answers to a question go in `answers`.
   */
  input: z
    .record(z.string().max(200), Json)
    .refine(
      (input) => JSON.stringify(input).length <= EDITED_INPUT_MAX,
      `must be at most ${EDITED_INPUT_MAX} characters of JSON`,
    )
    .optional(),
});
export type DecideApproval = z.output<typeof DecideApproval>;
