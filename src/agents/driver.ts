import type { Json } from '../contract/json.ts';
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
  readonly spawn: Spawn;
  /** Aborted when the agent must stop; the driver then ends with `stopped`. */
  readonly signal: AbortSignal;
}

export type DriverEvent =
  /** The agent is there. */
  | { readonly kind: 'init'; readonly conversation: string | null; readonly model?: string }
  /** A piece of what it says, as it comes. */
  | { readonly kind: 'delta'; readonly text: string; readonly stream?: 'stdout' | 'stderr' }
  /** What it said, whole. */
  | { readonly kind: 'message'; readonly text: string; readonly truncated?: boolean }
  | { readonly kind: 'notice'; readonly text: string }
  /** Any other event of the vocabulary (tool use, thinking …), ready to be stored. */
  | { readonly kind: 'event'; readonly type: string; readonly payload: Json }
  /** Always the last one. */
  | { readonly kind: 'end'; readonly end: DriverEnd };

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
  readonly usage?: Usage;
}

export interface AgentDriver {
  readonly kind: AgentKind;
  run(turn: Turn): AsyncIterable<DriverEvent>;
}
