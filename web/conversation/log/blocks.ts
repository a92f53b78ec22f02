import type { Json } from '../../../src/contract/json.ts';
import type { SessionStatus, StatusReason } from '../../../src/contract/session.ts';

/* What a conversation is shown as: one block for each thing a person would tell apart. */

interface Base {
  /** Stays the same while the block changes. */
  readonly id: string;
  /** Of its first event; what a permalink names. */
  readonly seq: number;
  readonly at: string;
  readonly runId: string | null;
}

export interface Failure {
  /** One of `ErrorClass`, or what a newer server calls it. */
  readonly class: string;
  /** In the words of who failed. */
  readonly message: string;
}

export interface StartBlock extends Base {
  readonly kind: 'start';
}
export interface TextBlock extends Base {
  readonly kind: 'text';
  readonly text: string;
  /** More is coming. */
  readonly live: boolean;
  /** Only its end is here. */
  readonly truncated: boolean;
}
export interface ThinkingBlock extends Base {
  readonly kind: 'thinking';
  readonly text: string;
}
export interface ToolResult {
  readonly ok: boolean;
  readonly text: string;
  readonly truncated: boolean;
  readonly at: string;
}
export interface Asking {
  readonly id: string;
  readonly state: 'pending' | 'allowed' | 'denied' | 'withdrawn';
  readonly by: string | null;
  readonly edited: boolean;
  readonly forSession: boolean;
  /** Since when the call could go on. */
  readonly decidedAt: string | null;
}
export interface ToolBlock extends Base {
  readonly kind: 'tool';
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** The input is the beginning of its text. */
  readonly truncated: boolean;
  /** The call of the subagent that made it. */
  readonly parent: string | null;
  readonly result: ToolResult | null;
  readonly asking: Asking | null;
  /** Why the rules refused it. */
  readonly refused: string | null;
  /** Its attempt ended before it had a result. */
  readonly cut: boolean;
}
export interface NoticeBlock extends Base {
  readonly kind: 'notice';
  readonly text: string;
}
export interface LimitBlock extends Base {
  readonly kind: 'limit';
  readonly rejected: boolean;
  readonly resetsAt: string | null;
}
export interface SteeredBlock extends Base {
  readonly kind: 'steered';
  readonly text: string;
  readonly sender: string;
  readonly channel: string;
  /** The agent did not take it, and it has become a run of its own. */
  readonly over: boolean;
}
export interface AttemptBlock extends Base {
  readonly kind: 'attempt';
  readonly attempt: number;
}
export interface RetryBlock extends Base {
  readonly kind: 'retry';
  /** `limit`: until a usage limit ends. */
  readonly why: 'failed' | 'limit';
  readonly error: Failure;
  readonly until: number;
  /** It has gone on, or ended. */
  readonly over: boolean;
}
export interface CutOffBlock extends Base {
  readonly kind: 'cutOff';
  /** `stopped`: an administrator stopped everything. */
  readonly why: 'crashed' | 'handed_back' | 'stopped';
}
export interface DiffBlock extends Base {
  readonly kind: 'diff';
  readonly files: readonly { readonly path: string; readonly change: string }[];
  readonly patch: string | null;
  readonly truncated: boolean;
}
export interface HeldBlock extends Base {
  readonly kind: 'held';
  readonly why: 'asked' | 'failed' | 'stopped';
  readonly over: boolean;
}
export interface EndBlock extends Base {
  readonly kind: 'end';
  readonly state: 'succeeded' | 'failed' | 'cancelled' | 'dead';
  readonly error: Failure | null;
  /** Null if its start is not loaded. */
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  /** Another run has started since, so nothing needs to be done about it. */
  readonly over: boolean;
}
export interface DroppedBlock extends Base {
  readonly kind: 'dropped';
}
export interface StatusBlock extends Base {
  readonly kind: 'status';
  readonly to: SessionStatus;
  readonly reason: StatusReason;
  readonly error: string | null;
  readonly over: boolean;
}
export interface CreatedBlock extends Base {
  readonly kind: 'created';
  readonly forkedFrom: string | null;
}

export type Block =
  | StartBlock
  | TextBlock
  | ThinkingBlock
  | ToolBlock
  | NoticeBlock
  | LimitBlock
  | SteeredBlock
  | AttemptBlock
  | RetryBlock
  | CutOffBlock
  | DiffBlock
  | HeldBlock
  | EndBlock
  | DroppedBlock
  | StatusBlock
  | CreatedBlock;

/** The run that has begun and not ended. */
export interface Current {
  readonly runId: string;
  readonly state: 'starting' | 'running' | 'waiting' | 'delayed';
}
