import type { ShareLevel } from '../../contract/access.ts';
import type { ApprovalKind, ApprovalScope, ApprovalState } from '../../contract/approval.ts';
import type { Channel, Standing } from '../../contract/message.ts';
import type { ScopeRules, ToolRules } from '../../contract/policy.ts';
import type { AgentSpec } from '../../contract/session.ts';
import type { Json } from '../../contract/values/json.ts';

/*
 * The port for approvals and tool rules. SQLite and PostgreSQL pass the same conformance suite. Every
 * method is one transaction, which also appends its events to the session's log.
 */

/** An agent's question. Times are epoch milliseconds on the database's clock. */
export interface ApprovalRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly attempt: number;
  /** The agent's id for the call; events carry it along with `approvalId`. */
  readonly callId: string;
  readonly kind: ApprovalKind;
  readonly tool: string;
  readonly input: Json;
  /** Whether masking changed `input`; see `readCall`. */
  readonly masked: boolean;
  /**
   * A digest of the tool and the unmasked input, so the same call in a later attempt has the same
   * digest.
   */
  readonly digest: string;
  readonly reason: string;
  /** Whether the rule that asks is enforced, so that no rule of the session can override it. */
  readonly enforced: boolean;
  readonly state: ApprovalState;
  readonly scope: ApprovalScope | null;
  readonly message: string | null;
  /** Masked; if masking changed it, `sealedInput` contains the original to use. */
  readonly editedInput: Json;
  readonly sealedInput: string | null;
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  /** When the answer was given to an agent. */
  readonly usedAt: number | null;
}

export type NewApproval = Pick<
  ApprovalRecord,
  | 'id'
  | 'sessionId'
  | 'runId'
  | 'attempt'
  | 'callId'
  | 'kind'
  | 'tool'
  | 'input'
  | 'masked'
  | 'digest'
  | 'reason'
  | 'enforced'
> & {
  /** The fence of the attempt that asks; with an old fence, nothing happens (Q6). */
  readonly fence: number;
  /** The agent's input, encrypted, if masking changed it. */
  readonly original: string | null;
};

export interface ApprovalAnswer {
  readonly decision: 'allow' | 'deny';
  readonly scope: ApprovalScope;
  readonly message: string | null;
  readonly editedInput: Json;
  readonly sealedInput: string | null;
  readonly decidedBy: string;
  /**
   * The standing of the person who answers, if the agent gets a message or input of theirs; null if
   * they only allow or deny the call.
   */
  readonly answerStanding: Standing | null;
  /** For an answer with scope `session`: the allow rule to add to the session. */
  readonly rule: string | null;
}

export interface ListedApproval extends ApprovalRecord {
  /** How its session is shared with the user who requested the list; null if it is not shared. */
  readonly share: ShareLevel | null;
  readonly workspacePath: string | null;
}

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly sessionId?: string;
  /** Only questions of sessions that this user owns or that are shared with them. */
  readonly visibleTo?: string;
  readonly limit: number;
  /** Lists questions older than this one, newest first. */
  readonly before?: string;
}

export type RuleScope =
  | { readonly scope: 'global' }
  | { readonly scope: 'channel'; readonly channel: Channel }
  | { readonly scope: 'session'; readonly sessionId: string };

/** All rules that may apply to a call; null or missing where none are set. */
export interface RulesInForce {
  readonly session: ToolRules | null;
  readonly channels: Readonly<Partial<Record<Channel, ScopeRules>>>;
  readonly global: ScopeRules | null;
}

/** The rules of a session, with everything else that checking a message requires. */
export interface SessionRules extends RulesInForce {
  readonly agent: AgentSpec;
  readonly workspacePath: string | null;
}

export interface ApprovalStore {
  /**
   * Opens a question and emits `approval.requested`. If the run already has a pending question with
   * the same digest, returns that question instead. Null if the fence is old.
   */
  openApproval(approval: NewApproval): Promise<ApprovalRecord | null>;
  getApproval(id: string): Promise<ApprovalRecord | null>;
  /**
   * The agent's encrypted input; null if it was not stored. Counts as a write, so it can be
   * audited.
   */
  readCall(id: string): Promise<string | null>;
  listApprovals(filter: ApprovalFilter): Promise<ListedApproval[]>;
  /** All questions of a run, oldest first. */
  listApprovalsOf(runId: string): Promise<ApprovalRecord[]>;
  /**
   * Answers a question exactly once: emits `approval.decided`, adds the rule, and wakes the run if
   * it is waiting (the queue's `answer`). Throws `approval_decided` (even if its run has ended) and
   * `not_found`.
   */
  decideApproval(id: string, answer: ApprovalAnswer): Promise<ApprovalRecord>;
  /**
   * Records that the agent is given the answer, so that a later attempt does not use it for another
   * call. Returns false if there is no answer, the answer was already used, or the fence is old;
   * returns true again if repeated with the same fence.
   */
  useApproval(id: string, fence: number): Promise<boolean>;
  /**
   * Records that the agent withdrew the question, and emits `approval.withdrawn`. Does nothing if
   * it has already been withdrawn or answered.
   */
  withdrawApproval(id: string, reason: string): Promise<void>;
  /**
   * Level-triggered, for the reconciler: withdraws pending questions of ended runs, and wakes runs
   * that wait without a pending question (an answer may arrive before its run starts waiting).
   */
  reconcileApprovals(limit: number): Promise<{ readonly changed: number; readonly more: boolean }>;

  /**
   * Reads all rules by key in one query, because every message and call needs them. Null if there
   * is no such session.
   */
  rulesFor(sessionId: string): Promise<SessionRules | null>;
  /**
   * The standings of everyone besides its sender who has said something to a run's agent: by
   * steering it, or by answering a question with text or input of their own (P2).
   */
  speakersIn(runId: string): Promise<Standing[]>;
  /** The rules that do not belong to a session. */
  sharedRules(): Promise<RulesInForce>;
  readRules(scope: RuleScope): Promise<ScopeRules | null>;
  putRules(scope: RuleScope, rules: ScopeRules): Promise<ScopeRules>;
}
