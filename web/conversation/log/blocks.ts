import type { SessionStatus, StatusReason } from '../../../src/contract/session.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import type { Json } from '../../../src/contract/values/json.ts';

/* A conversation is a list of blocks: one for each thing that users perceive as separate. */

interface Base {
  /** Stays the same while the block changes. */
  readonly id: string;
  /** Seq of its first event, used by permalinks. */
  readonly seq: number;
  readonly at: string;
  readonly runId: string | null;
}

export interface Failure {
  /** One of `ErrorClass`, or a class from a newer server. */
  readonly class: string;
  /** The original message. */
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
  /** Only the end of the text is loaded. */
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
  /** When the call could continue. */
  readonly decidedAt: string | null;
}
export interface ToolBlock extends Base {
  readonly kind: 'tool';
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** Only the beginning of the input is included. */
  readonly truncated: boolean;
  /** If a subagent made this call, the call that started the subagent. */
  readonly parent: string | null;
  readonly result: ToolResult | null;
  readonly asking: Asking | null;
  /** Why the rules refused the call. */
  readonly refused: string | null;
  /** The attempt ended before the call had a result. */
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
  /** The agent did not take the message, so it became a run of its own. */
  readonly over: boolean;
}
export interface AttemptBlock extends Base {
  readonly kind: 'attempt';
  readonly attempt: number;
}
export interface RetryBlock extends Base {
  readonly kind: 'retry';
  /** `limit`: waiting for a usage limit to reset. */
  readonly why: 'failed' | 'limit';
  readonly error: Failure;
  readonly until: number;
  /** The run has continued or ended. */
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
  /** Another run has started since, so no action is needed. */
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
/** A sentence about an event, from texts/event-notes.ts. */
export interface NoteBlock extends Base {
  readonly kind: 'note';
  readonly event: SessionEvent;
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
  | NoteBlock;

/** The run that has started but not ended. */
export interface Current {
  readonly runId: string;
  readonly state: 'starting' | 'running' | 'waiting' | 'delayed';
}
