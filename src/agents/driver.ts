import type { Json } from '../contract/json.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import type { RunError } from '../contract/outcome.ts';
import type { AgentKind, AgentSpec } from '../contract/session.ts';
import type { Spawn } from './process.ts';

/*
 * The port behind every agent. A driver turns one message into a stream of what the agent says and
 * does, and never throws: failures are its last event, with a class. It starts no process itself;
 * it is handed `spawn`, so that local, sandboxed, in a container and far away are the same to it.
 */

export interface Turn {
  readonly agent: AgentSpec;
  readonly message: string;
  readonly cwd: string;
  /** The agent's name of the conversation to go on with; null begins one. */
  readonly conversation: string | null;
  /** A conversation that is begun starts as a copy of this one, which stays as it is (S10). */
  readonly fork?: ForkPoint;
  readonly spawn: Spawn;
  /**
   * Masks a text that comes in pieces. What a driver keeps only the end of goes through one first: of a
   * secret that was cut, what is left is no longer recognised (P4).
   */
  readonly maskStream: () => TextStream;
  /** Aborted when the agent must stop; the driver then ends with `stopped`. */
  readonly signal: AbortSignal;
  /**
   * Asked before every tool call, and for every question the agent has (A7). What it answers was
   * stored before. Aborted if the agent takes its question back. May take days. Without it all is denied.
   */
  readonly permit?: (call: ToolCall, withdrawn: AbortSignal) => Promise<ToolAnswer>;
  /** Messages for an agent that is at work (Q11 `steer`); ends when none can come any more. */
  readonly steer?: AsyncIterable<string>;
  readonly limits?: TurnLimits;
  /** Tools that the message counts on. A driver that knows the agent's tools fails without one (`invalid_tool`, Q15). */
  readonly tools?: readonly string[];
  /** Added to what the agent is told about itself. */
  readonly systemPrompt?: string;
  /** Servers of tools, in the form of Claude Code's `--mcp-config`. */
  readonly mcpServers?: Readonly<Record<string, McpServer>>;
  /** Files that came with the message; images are shown to the agent, others are named to it. */
  readonly attachments?: readonly Attachment[];
  /** The repository's own hooks, settings and servers may load (A12). */
  readonly trusted?: boolean;
  /** What the conversation had cost before, as the agent last counted it; usage is the difference (A5). */
  readonly usageBefore?: Json;
}

export interface TextStream {
  push(piece: string): string;
  end(): string;
}

export interface ForkPoint {
  readonly conversation: string;
  /** The agent's name of the last message to copy; null copies all there is. */
  readonly head: string | null;
}

export interface TurnLimits {
  readonly turns?: number;
  readonly budgetUsd?: number;
}

export interface Attachment {
  readonly name: string;
  /** Where it lies in the workspace. */
  readonly path: string;
  readonly mediaType: string;
}

export interface ToolCall {
  /** The agent's own name of the call. */
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
}

export type ToolAnswer =
  /** With `input` if a person edited it. */
  | { readonly behavior: 'allow'; readonly input?: Json }
  | { readonly behavior: 'deny'; readonly message: string };

export type DriverEvent =
  /** The agent is there. */
  | { readonly kind: 'init'; readonly conversation: string | null; readonly model?: string }
  /** A piece of what it says, as it comes. */
  | { readonly kind: 'delta'; readonly text: string; readonly stream?: 'stdout' | 'stderr' }
  /** What it said, whole. */
  | { readonly kind: 'message'; readonly text: string; readonly truncated?: boolean }
  | { readonly kind: 'notice'; readonly text: string }
  /** What the turn has used so far; a later one takes its place, and at last the end's. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** Any other event of the vocabulary (tool use, thinking …), whole: it is masked before it is cut. */
  | { readonly kind: 'event'; readonly type: string; readonly payload: Json }
  /** Always the last one. */
  | { readonly kind: 'end'; readonly end: DriverEnd };

/** Its source is `estimated` if the agent has not said what it cost. */
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
    /** A usage limit: nothing can be done before this time. */
    | { readonly kind: 'parked'; readonly until: number; readonly message: string }
    /** Because the signal was aborted. */
    | { readonly kind: 'stopped' };
  /** For the session's `lastResponse`. */
  readonly lastMessage: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** The agent's name of the last message of the conversation: where a fork would begin. */
  readonly head?: string;
  readonly usage?: Usage;
  /** What the agent says of earlier turns of the conversation that could only be estimated (A5). */
  readonly usageEarlier?: Usage;
  /** What the agent has counted so far, for the next turn's `usageBefore`. */
  readonly usageAfter?: Json;
}

/** Of the end of an agent that nothing was heard of. */
export const NOTHING_HEARD = {
  lastMessage: null,
  exitCode: null,
  signal: null,
  stderr: '',
} as const satisfies Omit<DriverEnd, 'outcome'>;

export interface AgentDriver {
  readonly kind: AgentKind;
  /** Can be given messages while at work. */
  readonly steers?: boolean;
  run(turn: Turn): AsyncIterable<DriverEvent>;
}
