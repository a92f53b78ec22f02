import type { Capabilities } from '../contract/agent-kinds.ts';
import type { EventOf, EventPayloads, EventType, NoOthers } from '../contract/events/table.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import type { RunError } from '../contract/outcome.ts';
import type { AgentKind, AgentSpec } from '../contract/session.ts';
import type { Json } from '../contract/values/json.ts';
import type { Process, SpawnOptions } from '../workspaces/process.ts';
import type { Runtime } from '../workspaces/runtime.ts';

/*
 * The port behind every agent. A driver turns one message into a stream of events, and never
 * throws: a failure is its last event, with a class. A driver acts only through the turn's runtime,
 * so local, sandboxed, container and remote agents look the same to it.
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
   * before it is returned. `withdrawn` is aborted if the agent withdraws the question. An answer
   * may take days. Without this function, every call is denied.
   */
  readonly permit?: (call: ToolCall, withdrawn: AbortSignal) => Promise<ToolAnswer>;
  /** Messages for the agent while it is working (Q11 `steer`); ends when there can be no more. */
  readonly steer?: AsyncIterable<string>;
  readonly limits?: TurnLimits;
  /**
   * Tools that the message relies on. A driver that knows the agent's tools fails if one is missing
   * (`invalid_tool`, Q15).
   */
  readonly tools?: readonly string[];
  /** Appended to the agent's system prompt. */
  readonly systemPrompt?: string;
  /** MCP servers, in the format of Claude Code's `--mcp-config`. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /**
   * Files attached to the message. The agent is shown images, and gets the paths of other files.
   */
  readonly attachments?: readonly Attachment[];
  /** Whether the repository's own hooks, settings and MCP servers may load (A12). */
  readonly trusted?: boolean;
  /**
   * The conversation's usage before this turn, as last reported by the agent; the turn's own usage
   * is the difference (A5).
   */
  readonly usageBefore?: Json;
}

/**
 * The parts of a runtime that a driver may use. Processes that it starts belong to the turn's run.
 */
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
  /** The file's path in the workspace. */
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
  /** `input` is set if a person edited it. */
  | { readonly behavior: 'allow'; readonly input?: Json }
  | { readonly behavior: 'deny'; readonly message: string };

export type DriverEvent =
  /** The agent has started. */
  | { readonly kind: 'init'; readonly conversation: string | null; readonly model?: string }
  /** A piece of the agent's response, sent while the agent is writing it. */
  | { readonly kind: 'delta'; readonly text: string; readonly stream?: 'stdout' | 'stderr' }
  /** A complete message. */
  | { readonly kind: 'message'; readonly text: string; readonly truncated?: boolean }
  | { readonly kind: 'notice'; readonly text: string }
  /**
   * Usage in the turn so far. Later figures replace earlier ones; those in the end event are final.
   */
  | { readonly kind: 'usage'; readonly usage: Usage }
  | AgentEvent
  /** Always the last event. */
  | { readonly kind: 'end'; readonly end: DriverEnd };

/** Any other event (tool use, thinking …), not yet shortened, because it is masked first. */
export type AgentEvent = { readonly kind: 'event' } & EventOf<AgentEventType>;

type AgentEventType = Exclude<
  Extract<EventType, `agent.${string}`>,
  // These events have their own kinds.
  'agent.init' | 'agent.delta' | 'agent.message' | 'agent.notice' | 'agent.usage'
>;

/** Drivers create their events with this, because it refuses unknown fields. */
export const agentEvent = <T extends AgentEventType, P extends EventPayloads[T]>(
  type: T,
  payload: P & NoOthers<P, EventPayloads[T]>,
): DriverEvent => ({ kind: 'event', type, payload }) as unknown as AgentEvent;

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
    /** The turn ended because the signal was aborted. */
    | { readonly kind: 'stopped' };
  /** For the session's `lastResponse`. */
  readonly lastMessage: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** The agent's id for the conversation's last message, from which a fork would start. */
  readonly head?: string;
  readonly usage?: Usage;
  /** Usage of earlier turns that was only estimated then and has been reported now (A5). */
  readonly usageEarlier?: Usage;
  /** Usage of the conversation so far, for the next turn's `usageBefore`. */
  readonly usageAfter?: Json;
}

/** How a turn ends if the agent never reported anything. */
export const NOTHING_HEARD = {
  lastMessage: null,
  exitCode: null,
  signal: null,
  stderr: '',
} as const satisfies Omit<DriverEnd, 'outcome'>;

export interface AgentDriver {
  readonly kind: AgentKind;
  /** The agent's row in the table in contract/agent-kinds.ts. */
  readonly capabilities: Capabilities;
  run(turn: Turn): AsyncIterable<DriverEvent>;
}
