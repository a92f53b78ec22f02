import type { Json } from '../../contract/json.ts';
import type { Standing } from '../../contract/message.ts';
import type { StatusChange } from '../session-store.ts';

/*
 * The port behind messages for an agent at work (Q11 `steer`). SQLite and PostgreSQL keep its promises
 * under one contract suite. Every method is one transaction.
 */

export interface SteerRequest {
  readonly sessionId: string;
  /** Of the message, and of the run that it becomes if it is never given. */
  readonly id: string;
  /** JSON text of an `AgentPayload`; the message in it is masked. */
  readonly payload: string;
  /** The event that tells of it. */
  readonly told: Json;
  /** What the agent gets instead of the masked message, encrypted. */
  readonly original: string | null;
  readonly maxAttempts: number;
  readonly idempotencyKey: string | null;
  readonly bodyHash: string | null;
}

export interface Steered {
  /** The run whose agent gets it; its own, if it has become one. */
  readonly runId: string;
  readonly state: 'steered' | 'queued';
  /** True if the idempotency key was known and nothing was added. */
  readonly known: boolean;
}

/** A message as the worker reads it. */
export interface SteerRecord {
  readonly id: string;
  readonly runId: string;
  readonly sessionId: string;
  /** Masked; see `original`. */
  readonly message: string;
  readonly original: string | null;
  /** Of who sent it. */
  readonly standing: Standing;
  readonly state: 'waiting' | 'given';
}

export interface SteerStore {
  /**
   * Stores a message for the session's run under way and tells it by `run.steered`. Throws
   * `cannot_steer` unless that run is at work or waits for an answer, `not_found`,
   * `idempotency_conflict`. Its node is told by a hint.
   */
  steerMessage(request: SteerRequest): Promise<Steered>;
  /** Those of runs that wait to be given or were given, in the order they came. */
  listSteers(runIds: readonly string[]): Promise<SteerRecord[]>;
  /** Notes that an agent is given it, or that it did not take it. False if the fence is old. */
  markSteer(id: string, given: boolean, fence: number): Promise<boolean>;
  /** The attempt is the run's last: what was not given becomes runs, at the head of the lane. */
  releaseSteers(runId: string, fence: number): Promise<readonly StatusChange[]>;
  /** The same, level-triggered, for runs that have ended however they did. At most so many sessions. */
  reconcileSteers(limit: number): Promise<{
    readonly changes: readonly StatusChange[];
    readonly more: boolean;
  }>;
}
