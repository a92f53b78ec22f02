import type { EventPayloads } from '../../contract/events/table.ts';
import type { StatusChange } from '../session-store.ts';

/*
 * The port for messages to an agent at work (Q11 `steer`). SQLite and PostgreSQL pass the same
 * conformance suite. Every method is one transaction.
 */

export interface SteerRequest {
  readonly sessionId: string;
  /** The message's id, and also the id of the run that it becomes if no agent takes it. */
  readonly id: string;
  /** JSON text of an `AgentPayload`; the message in it is masked. */
  readonly payload: string;
  /** The payload of the message's `run.steered` event. */
  readonly event: EventPayloads['run.steered'];
  /** The encrypted original, which the agent gets instead of the masked message. */
  readonly original: string | null;
  readonly maxAttempts: number;
  readonly idempotencyKey: string | null;
  readonly bodyHash: string | null;
  /**
   * The maximum number of messages waiting in the session: queued runs, and messages that have not
   * been given to an agent.
   */
  readonly queueMax: number;
}

export interface Steered {
  /** The run whose agent gets the message; if the message has become a run, that run. */
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
  readonly sender: string;
  readonly state: 'waiting' | 'given';
}

export interface SteerStore {
  /**
   * Stores a message for the session's current run, emits `run.steered`, and sends a hint to the
   * run's node. Throws `not_found`, `queue_full`, `idempotency_conflict`, and `cannot_steer` unless
   * that run is executing or waiting for an answer, and has been sent less than 4 MiB.
   */
  steerMessage(request: SteerRequest): Promise<Steered>;
  /**
   * The messages sent to these runs, by default both waiting and already given, in the order in
   * which they arrived.
   */
  listSteers(
    runIds: readonly string[],
    states?: readonly SteerRecord['state'][],
  ): Promise<SteerRecord[]>;
  /**
   * Records that the message is being given to an agent, or that the agent did not take it. Returns
   * false if the fence is old.
   */
  markSteer(id: string, given: boolean, fence: number): Promise<boolean>;
  /**
   * Called after the run's last attempt: messages that were not given become runs at the head of
   * the lane.
   */
  releaseSteers(runId: string, fence: number): Promise<readonly StatusChange[]>;
  /**
   * Like `releaseSteers`, but finds the runs itself, however they ended; handles at most `limit`
   * sessions per call.
   */
  reconcileSteers(limit: number): Promise<{
    readonly changes: readonly StatusChange[];
    readonly more: boolean;
  }>;
}
