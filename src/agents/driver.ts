import type { Capabilities } from '../contract/agent-kinds.ts';
import type { Json } from '../contract/json.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import type { RunError } from '../contract/outcome.ts';
import type { AgentKind, AgentSpec } from '../contract/session.ts';
import type { Process, SpawnOptions } from '../workspaces/process.ts';
import type { Runtime } from '../workspaces/runtime.ts';

/*
 * The port behind every agent. A driver turns one message into a stream of events, and never throws:
 * a failure is its last event, with a class. It acts only through the turn's runtime, so local,
 * sandboxed, container and remote agents look the same to it.
 */

export interface Turn {
  readonly agent: AgentSpec;
  readonly message: string;
  /** The agent's id for the conversation to resume; null starts a new one. */
  readonly conversation: string | null;
  /** A new conversation starts as a copy of this one, which does not change (S10). */
  readonly fork?: ForkPoint;
  /** Where the agent works. */
  readonly runtime: TurnRuntime;
  /**
   * Masks text that arrives in pieces. If a driver keeps only the end of a text, it masks the text
   * first, because half a secret would no longer be recognised (P4).
   */
  readonly maskStream: () => TextStream;
  /** Aborted when the agent must stop; the driver then ends with `stopped`. */
  readonly signal: AbortSignal;
  /**
   * Called before every tool call and for every question from the agent (A7). The answer is stored
   * before it is returned. Aborted if the agent withdraws the question. May take days. Without it,
   * every call is denied.
   */
  readonly permit?: (call: ToolCall, withdrawn: AbortSignal) => Promise<ToolAnswer>;
  /** Messages for an agent at work (Q11 `steer`); ends when there can be no more. */
  readonly steer?: AsyncIterable<string>;
  readonly limits?: TurnLimits;
  /**
   * Tools that the message relies on. A driver that knows the agent's tools fails if one is missing
   * (`invalid_tool`, Q15).
   */
  readonly tools?: readonly string[];
  /** Appended to the agent's system prompt. */
  readonly systemPrompt?: string;
  /** MCP servers, in the form of Claude Code's `--mcp-config`. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** Files attached to the message: the agent sees images, and the paths of other files. */
  readonly attachments?: readonly Attachment[];
  /** Whether the repository's own hooks, settings and MCP servers may load (A12). */
  readonly trusted?: boolean;
  /**
   * The conversation's usage before this turn, as last reported by the agent; the turn's own usage
   * is the difference (A5).
   */
  readonly usageBefore?: Json;
}

/** What a driver may use of a runtime. The processes that it starts belong to the turn's run. */
export interface TurnRuntime
  extends Pick<
    Runtime,
    'root' | 'home' | 'environment' | 'files' | 'filesIn' | 'inspect' | 'find' | 'keepPrivate'
  > {
  /** Rejects with a StartError. */
  spawn(argv: readonly string[], options?: Omit<SpawnOptions, 'unit'>): Promise<Process>;
}

export interface TextStream {
  push(piece: string): string;
  end(): string;
}

export interface ForkPoint {
  readonly conversation: string;
  /** The agent's id for the last message to copy; null copies all of them. */
  readonly head: string | null;
}

export interface TurnLimits {
  readonly turns?: number;
  readonly budgetUsd?: number;
}

export interface Attachment {
  readonly name: string;
  /** Its path in the workspace. */
  readonly path: string;
  readonly mediaType: string;
}

export interface ToolCall {
  /** The agent's own id for the call. */
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
}

export type ToolAnswer =
  /** With `input` if a person edited it. */
  | { readonly behavior: 'allow'; readonly input?: Json }
  | { readonly behavior: 'deny'; readonly message: string };

export type DriverEvent =
  /** The agent has started. */
  | { readonly kind: 'init'; readonly conversation: string | null; readonly model?: string }
  /** A piece of its answer, as it is written. */
  | { readonly kind: 'delta'; readonly text: string; readonly stream?: 'stdout' | 'stderr' }
  /** A complete message. */
  | { readonly kind: 'message'; readonly text: string; readonly truncated?: boolean }
  | { readonly kind: 'notice'; readonly text: string }
  /** Usage in the turn so far; later figures replace it, and finally those in the end event. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** Any other event (tool use, thinking …), not yet shortened, because it is masked first. */
  | { readonly kind: 'event'; readonly type: string; readonly payload: Json }
  /** Always the last event. */
  | { readonly kind: 'end'; readonly end: DriverEnd };

/** `source` is `estimated` if the agent did not report the cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly model: string | null;
  readonly costUsd: number;
  readonly source: string;
}

export interface DriverEnd {
  readonly outcome:
    | { readonly kind: 'succeeded'; readonly result: Json }
    | { readonly kind: 'failed'; readonly error: RunError }
    /** When the usage limit resets. */
    | { readonly kind: 'parked'; readonly until: number; readonly message: string }
    /** It ended because the signal was aborted. */
    | { readonly kind: 'stopped' };
  /** For the session's `lastResponse`. */
  readonly lastMessage: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** The agent's id for the conversation's last message, from which a fork would start. */
  readonly head?: string;
  readonly usage?: Usage;
  /** Reported usage of earlier turns that could only be estimated (A5). */
  readonly usageEarlier?: Usage;
  /** Usage of the conversation so far, for the next turn's `usageBefore`. */
  readonly usageAfter?: Json;
}

/** The end of an agent that never reported anything. */
export const NOTHING_HEARD = {
  lastMessage: null,
  exitCode: null,
  signal: null,
  stderr: '',
} as const satisfies Omit<DriverEnd, 'outcome'>;

export interface AgentDriver {
  readonly kind: AgentKind;
  /** Its row of the table in contract/agent-kinds.ts. */
  readonly capabilities: Capabilities;
  run(turn: Turn): AsyncIterable<DriverEvent>;
}
