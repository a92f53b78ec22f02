import type { ForkPoint, Usage } from '../agents/driver.ts';
import type { ShareLevel } from '../contract/access.ts';
import type { CostBy, CostLine } from '../contract/api/cost.ts';
import type { Standing } from '../contract/message.ts';
import type { Run } from '../contract/run.ts';
import type { Invocation } from '../contract/run-view.ts';
import type {
  AgentSpec,
  Isolation,
  SessionOrder,
  SessionStatus,
  StatusReason,
  UpdateSession,
  WorkspaceSpec,
} from '../contract/session.ts';
import type { Stats } from '../contract/stats.ts';
import type { Json } from '../contract/values/json.ts';
import type { Admission, Counts, Receipt, RunFilter } from '../queue/store.ts';
import type { SessionRecord, SessionWithFacts } from './session-record.ts';

/*
 * The port for storing sessions. SQLite and PostgreSQL pass the same conformance suite. Every method
 * is one transaction, which also appends the events of its changes to the session's log. Only these
 * methods change a session's status, and only as the table in session-machine.ts allows (S8).
 */

export interface NewSession {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly labels: readonly string[];
  readonly agent: AgentSpec;
  readonly agentStanding: Standing;
  readonly workspace: WorkspaceSpec;
  readonly isolation: Isolation;
  readonly templateConfig: Json;
  readonly idleTimeoutSeconds: number;
  readonly budgetUsd: number | null;
  readonly holdOnFailure: boolean;
  /**
   * The workspace exists on only one machine, so the lane is pinned to the host of its first run
   * (Q23).
   */
  readonly pin: boolean;
  /**
   * Pins the session to this host from the start; if null, it is pinned where it is first prepared
   * or run.
   */
  readonly host: string | null;
  readonly forkPoint: ForkPoint | null;
  readonly usageBefore: Json;
  readonly forkedFrom: string | null;
}

/** A change of a session's status, for the server's log (S1). */
export interface StatusChange {
  readonly sessionId: string;
  readonly from: SessionStatus;
  readonly to: SessionStatus;
  readonly reason: StatusReason;
}

export interface Changed {
  readonly current: SessionWithFacts;
  readonly changes: readonly StatusChange[];
}

/**
 * A change to a session. If the session's status does not allow it, throws `session_state` and
 * changes nothing.
 */
export type SessionCommand =
  /**
   * Records that the workspace is ready, or could not be prepared. With `host`, an unpinned lane
   * that needs a host is pinned to it (Q23); a report from any host other than the pinned one
   * changes nothing.
   */
  | { readonly do: 'ready'; readonly path: string; readonly host?: string }
  | { readonly do: 'fail'; readonly error: string; readonly host?: string }
  | { readonly do: 'complete' }
  /** Cancels unfinished runs if a person asked for it. */
  | { readonly do: 'terminate'; readonly reason: 'asked' | 'orphan' }
  | { readonly do: 'reopen' }
  | { readonly do: 'retry' }
  | { readonly do: 'archive' }
  /**
   * Pins the session to `host`, where its workspace was seen at `path` (Q23). Throws `session_busy`
   * while a run is executing.
   */
  | { readonly do: 'move'; readonly host: string; readonly path: string }
  | { readonly do: 'hold' }
  | { readonly do: 'resume' }
  | { readonly do: 'update'; readonly changes: UpdateSession };

export interface SendRequest {
  readonly sessionId: string;
  /**
   * The sender. Throws `not_found` unless the sender may operate the session; if omitted, access is
   * not checked.
   */
  readonly userId?: string;
  readonly admission: Admission;
  /** The encrypted original, which the agent gets instead of the masked message. */
  readonly original: string | null;
  readonly attachments?: readonly StoredAttachment[];
  /** How many runs of the session may be queued. */
  readonly queueMax: number;
}

/**
 * A file attached to a run's message. It cannot be masked, because it may not be text, so it is
 * encrypted.
 */
export interface StoredAttachment {
  readonly name: string;
  readonly mediaType: string;
  /** The file's bytes as base64, encrypted. */
  readonly sealed: string;
}

export interface RunEdit {
  /**
   * Who edits. Throws `not_found` unless they are enabled and may operate the session; if omitted,
   * access is not checked.
   */
  readonly userId?: string;
  readonly payload?: string;
  /** Given together with `payload`; null if masking changed nothing. */
  readonly original?: string | null;
  readonly before?: string | null;
}

export interface Sent {
  readonly receipt: Receipt;
  readonly changes: readonly StatusChange[];
}

export interface SessionFilter {
  readonly ownerId?: string;
  /** Sessions that this user owns or that are shared with them. */
  readonly visibleTo?: string;
  readonly status?: SessionStatus;
  readonly tag?: string;
  readonly label?: string;
  /** Part of the name; case-insensitive. */
  readonly name?: string;
  readonly archived: boolean;
  readonly limit: number;
  /** Newest first (ids sort by age), which is the default, or most recently active first. */
  readonly order?: SessionOrder;
  /** The last session of the previous page, as that page showed it; the list continues after it. */
  readonly after?: Pick<SessionRecord, 'id' | 'lastActiveAt'>;
}

/** The session that connections belong to, and the node that holds them. */
export interface ConnectionKey {
  readonly sessionId: string;
  readonly nodeId: string;
}

export interface NewConnection {
  readonly id: string;
  readonly userId: string;
  readonly kind: 'sse' | 'ws';
}

/** An invocation as stored, with times in epoch milliseconds. */
export interface InvocationRecord
  extends Omit<Invocation, 'startedAt' | 'finishedAt' | 'durationMs'> {
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

/** What an attempt writes to its session, if it still holds the lane's fence (Q6). */
export interface TurnResult {
  readonly fence: number;
  readonly lastResponse: string | null;
  readonly conversation: string | null;
  /** Set when the turn has ended; if omitted, the stored value stays. */
  readonly conversationHead?: string;
  /** Replaces the estimated cost of earlier invocations (A5). */
  readonly usageEarlier?: Usage;
  /** The agent's counters so far; if omitted, the stored value stays. */
  readonly usageAfter?: Json;
}

export interface SessionFor {
  readonly current: SessionWithFacts;
  readonly share: ShareLevel | null;
}

export interface SessionStore {
  /**
   * Creates the session (PENDING) and its lane, and emits `session.created`. Throws `name_taken`.
   */
  createSession(session: NewSession): Promise<SessionWithFacts>;
  getSession(id: string): Promise<SessionWithFacts | null>;
  /** The session, with the level at which it is shared with the given user. */
  getSessionFor(id: string, userId: string): Promise<SessionFor | null>;
  listSessions(filter: SessionFilter): Promise<SessionWithFacts[]>;
  /** Throws `not_found`. */
  changeSession(id: string, command: SessionCommand): Promise<Changed>;
  /**
   * Admits a message and wakes the session. A ready session becomes ACTIVE; one in ERROR, or one
   * that ended because it was idle or orphaned, is prepared again (S5). Throws `not_found`,
   * `session_ended`, `queue_full`, `idempotency_conflict`, `session_busy`. A known idempotency key
   * changes nothing. Messages to a session are stored in the order of the calls, even if a call is
   * made before the previous one has returned; this includes `steerMessage`.
   */
  sendMessage(request: SendRequest): Promise<Sent>;
  /**
   * Changes a queued run's payload (together with its original), its position, or both at once.
   * Throws `not_found`, `run_not_queued`, and `invalid_request` if `before` is not queued in its
   * lane. The edits of a run take effect in the order of the calls, like messages.
   */
  editRun(runId: string, edit: RunEdit): Promise<Run>;
  /**
   * Retries a finished run as a new run at the head of the queue, with the same original, and wakes
   * the session. By default, the payload is the finished run's.
   */
  retryRun(runId: string, newId: string, queueMax: number, payload?: string): Promise<Changed>;
  /** The encrypted original of a run's message. */
  readOriginal(runId: string): Promise<string | null>;
  /** The files of the run; a retry has those of the run that it retries. */
  readAttachments(runId: string): Promise<StoredAttachment[]>;
  /**
   * Cancels unfinished runs and removes everything that belongs to the session. Throws
   * `session_protected`, and `session_busy` while a run is still executing (it is being cancelled).
   */
  deleteSession(id: string): Promise<void>;
  /** Registers connections; makes an IDLE session ACTIVE. Throws `not_found`, `node_lost`. */
  openConnections(
    key: ConnectionKey,
    connections: readonly NewConnection[],
  ): Promise<readonly StatusChange[]>;
  closeConnections(ids: readonly string[]): Promise<void>;
  /**
   * Level-triggered: catches up with elapsed time and dead nodes. Quiet ACTIVE sessions become IDLE
   * and get a `destroyAt`, IDLE ones whose `destroyAt` has passed are TERMINATED, connections of
   * dead nodes are removed, and changed connection counts are emitted as events. Handles at most
   * `limit` sessions per call; `more` means that further sessions may be left. `nextAt` is
   * the next destroyAt.
   */
  reconcileSessions(limit: number): Promise<Reconciled>;
  /** PENDING sessions that this host may prepare, oldest first. */
  listPending(host: string, limit: number): Promise<SessionWithFacts[]>;
  /**
   * Inserts or updates an invocation, together with what it writes to its session. Emits
   * `agent.usage` and `session.cost` for new cost and tokens; for estimates, only once the
   * invocation has ended. A late update from before the end does not overwrite an ended invocation.
   * Returns true only for the call that ends the invocation. Throws `conversation_taken`.
   */
  putInvocation(invocation: InvocationRecord, turn?: TurnResult): Promise<boolean>;
  listInvocations(runId: string): Promise<InvocationRecord[]>;
  /** The session's invocations whose end was never recorded. */
  listUnfinished(sessionId: string): Promise<InvocationRecord[]>;
  sumInvocations(sessionId: string): Promise<InvocationSums>;
  /** The sums of `sumInvocations` by model and source, most expensive first. */
  sumByModel(sessionId: string): Promise<ModelSums[]>;
  /**
   * Sums over ended invocations: in chronological order if grouped by `day`, otherwise most
   * expensive first.
   */
  listCosts(filter: CostFilter): Promise<CostLine[]>;
  /**
   * Stores the workspace's snapshot from the start of an attempt; replaces the session's previous
   * one.
   */
  putSnapshot(snapshot: SnapshotRecord): Promise<void>;
  /** The latest snapshot of a run. */
  readSnapshot(runId: string): Promise<SnapshotRecord | null>;
  /** The cost of each run in USD; runs without an invocation are left out. */
  costsOf(runIds: readonly string[]): Promise<Map<string, number>>;
  countSessions(): Promise<Record<SessionStatus, number>>;
  /** Sessions that have been PENDING for at least `ageMs`. */
  countPending(ageMs: number): Promise<number>;
  /** Runs of the sessions that a user may see, ordered by id and thus by age. */
  listVisibleRuns(userId: string, filter: Omit<RunFilter, 'lane'>): Promise<Run[]>;
  /** The number of runs in each state, in the sessions that a user may see. */
  countVisible(userId: string): Promise<Counts>;
  /**
   * Statistics over the sessions that a user may see; null means all. Only the latest runs are read,
   * so the cost does not grow with the age of an installation.
   */
  stats(visibleTo: string | null): Promise<Stats>;
  /** Deleted sessions that left files on this host, until `forgetLeftWorkspace`. */
  listLeftWorkspaces(host: string, limit: number): Promise<string[]>;
  forgetLeftWorkspace(sessionId: string, host: string): Promise<void>;
  /** A named setting of the installation, such as the check value for the secret key. */
  readSetting(name: string): Promise<string | null>;
  /** Stores the value unless one exists; returns the stored value. */
  putSettingOnce(name: string, value: string): Promise<string>;
}

export interface Reconciled {
  readonly changes: readonly StatusChange[];
  readonly more: boolean;
  readonly nextAt: number | null;
}

export interface InvocationSums {
  readonly costUsd: number;
  readonly estimatedUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  readonly invocations: number;
}

export interface ModelSums extends InvocationSums {
  readonly model: string | null;
  readonly source: string | null;
}

export interface CostFilter {
  readonly by: CostBy;
  /** Invocations that ended at or after `from`, and before `to`. */
  readonly from: number;
  readonly to: number;
  /** Only sessions that this user may see; all sessions by default. */
  readonly visibleTo?: string;
  readonly limit: number;
}

export interface SnapshotRecord {
  readonly runId: string;
  readonly sessionId: string;
  readonly attempt: number;
  readonly kind: string;
  /** What the code that made the snapshot needs to find it again. */
  readonly ref: Json;
}

export type { SessionRecord, SessionWithFacts };
