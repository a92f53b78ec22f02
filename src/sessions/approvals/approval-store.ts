import type { ShareLevel } from '../../contract/access.ts';
import type { ApprovalKind, ApprovalScope, ApprovalState } from '../../contract/approval.ts';
import type { Json } from '../../contract/json.ts';
import type { Channel } from '../../contract/message.ts';
import type { ScopeRules, ToolRules } from '../../contract/policy.ts';
import type { AgentSpec } from '../../contract/session.ts';

/*
 * The port behind approvals and tool rules; SQLite and PostgreSQL keep its promises under one
 * contract suite. Every method is one transaction that also appends its events to the session's log.
 */

/** A question of an agent. Times are epoch milliseconds on the database's clock. */
export interface ApprovalRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly attempt: number;
  /** The agent's own name of the call; stands in the events, too, beside `approvalId`. */
  readonly callId: string;
  readonly kind: ApprovalKind;
  readonly tool: string;
  readonly input: Json;
  /** Masking changed `input`; see `readCall`. */
  readonly masked: boolean;
  /** Of tool and unmasked input: the same call, asked again by a later attempt, has the same one. */
  readonly digest: string;
  readonly reason: string;
  /** An enforced rule asks: no rule of the session lifts it. */
  readonly enforced: boolean;
  readonly state: ApprovalState;
  readonly scope: ApprovalScope | null;
  readonly message: string | null;
  /** Masked; what is to be used is in `sealedInput` if masking changed it. */
  readonly editedInput: Json;
  readonly sealedInput: string | null;
  readonly decidedBy: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
  /** The answer was given to an agent. */
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
  /** Of the attempt that asks; with an old one nothing happens (Q6). */
  readonly fence: number;
  /** What the agent gave, encrypted, if masking changed it. */
  readonly original: string | null;
};

export interface ApprovalAnswer {
  readonly decision: 'allow' | 'deny';
  readonly scope: ApprovalScope;
  readonly message: string | null;
  readonly editedInput: Json;
  readonly sealedInput: string | null;
  readonly decidedBy: string;
  /** Added to what the session allows, with scope `session`. */
  readonly rule: string | null;
}

export interface ListedApproval extends ApprovalRecord {
  /** How far its session is shared with whom the list is for; null if it is not by a share. */
  readonly share: ShareLevel | null;
  /** Of its session. */
  readonly workspacePath: string | null;
}

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly sessionId?: string;
  /** Of sessions that this user owns or that are shared with them. */
  readonly visibleTo?: string;
  readonly limit: number;
  /** Newest first, older than this one. */
  readonly before?: string;
}

export type RuleScope =
  | { readonly scope: 'global' }
  | { readonly scope: 'channel'; readonly channel: Channel }
  | { readonly scope: 'session'; readonly sessionId: string };

/** All rules that may count for a call; null or left out where nobody set any. */
export interface RulesInForce {
  readonly session: ToolRules | null;
  readonly channels: Readonly<Partial<Record<Channel, ScopeRules>>>;
  readonly global: ScopeRules | null;
}

/** Those of a session, with what a message to it is checked by. */
export interface SessionRules extends RulesInForce {
  readonly agent: AgentSpec;
  readonly workspacePath: string | null;
}

export interface ApprovalStore {
  /**
   * Opens a question and tells `approval.requested`. One of this run with the same digest that is
   * pending is answered instead of a second one. Null if the fence is old.
   */
  openApproval(approval: NewApproval): Promise<ApprovalRecord | null>;
  getApproval(id: string): Promise<ApprovalRecord | null>;
  /** What the agent gave, encrypted; null if it was not kept. A writing call, so that it can be audited. */
  readCall(id: string): Promise<string | null>;
  listApprovals(filter: ApprovalFilter): Promise<ListedApproval[]>;
  /** All of a run, oldest first. */
  listApprovalsOf(runId: string): Promise<ApprovalRecord[]>;
  /**
   * Answers it, exactly once: `approval.decided`, the rule, and if the run waits it is told (the
   * queue's `answer`). Throws `approval_decided`, also if its run has ended, and `not_found`.
   */
  decideApproval(id: string, answer: ApprovalAnswer): Promise<ApprovalRecord>;
  /**
   * The agent is given the answer; a later attempt does not use it for another call. False if it is
   * not answered, was used, or the fence is old; said again with the same fence it is still true.
   */
  useApproval(id: string, fence: number): Promise<boolean>;
  /** The agent took it back: `approval.withdrawn`. Again, or after the answer, changes nothing. */
  withdrawApproval(id: string, reason: string): Promise<void>;
  /**
   * Level-triggered, for the keeper: pending questions of ended runs are withdrawn, and runs that
   * wait although nothing of theirs is pending are answered (an answer may come before its run waits).
   */
  reconcileApprovals(limit: number): Promise<{ readonly changed: number; readonly more: boolean }>;

  /** All at once, by key: every message and every call asks. Null if there is no such session. */
  rulesFor(sessionId: string): Promise<SessionRules | null>;
  /** Those outside sessions. */
  sharedRules(): Promise<RulesInForce>;
  readRules(place: RuleScope): Promise<ScopeRules | null>;
  putRules(place: RuleScope, rules: ScopeRules): Promise<ScopeRules>;
}
