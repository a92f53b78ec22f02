import type { ForkPoint, Usage } from '../agents/driver.ts';
import type { ShareLevel } from '../contract/access.ts';
import type { CostBy, CostLine } from '../contract/api/cost.ts';
import type { Json } from '../contract/json.ts';
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
import type { Admission, Counts, Receipt, RunFilter } from '../queue/store.ts';
import type { SessionRecord, SessionWithFacts } from './session-record.ts';

/*
 * The port behind sessions; SQLite and PostgreSQL keep its promises under one contract suite. Every
 * method is one transaction that also appends the events of what it changed to the session's log.
 * Status is changed by nobody else, and only along the table of session-machine.ts (S8).
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
  /** Its workspace lies on one machine: the lane takes the host of its first run (Q23). */
  readonly pin: boolean;
  /** Pinned there from the beginning; null leaves it to where it is prepared or run first. */
  readonly host: string | null;
  readonly forkPoint: ForkPoint | null;
  readonly usageBefore: Json;
  readonly forkedFrom: string | null;
}

/** A status that changed, for the log line (S1). */
export interface StatusChange {
  readonly sessionId: string;
  readonly from: SessionStatus;
  readonly to: SessionStatus;
  readonly reason: StatusReason;
}

export interface Changed {
  readonly found: SessionWithFacts;
  readonly changes: readonly StatusChange[];
}

/** What may happen to a session. Bad wishes throw `session_state` and change nothing. */
export type SessionCommand =
  /**
   * The workspace is prepared, or cannot be. With `host` a lane that is to be pinned is pinned there
   * (Q23); what another host says of a session that is pinned changes nothing.
   */
  | { readonly do: 'ready'; readonly path: string; readonly host?: string }
  | { readonly do: 'fail'; readonly error: string; readonly host?: string }
  | { readonly do: 'complete' }
  /** By a person: unfinished runs are cancelled. */
  | { readonly do: 'terminate'; readonly reason: 'asked' | 'orphan' }
  | { readonly do: 'reopen' }
  | { readonly do: 'retry' }
  | { readonly do: 'archive' }
  /**
   * Its workspace was seen at `path` on `host`, where it now belongs (Q23). Throws `session_busy`
   * while a run executes.
   */
  | { readonly do: 'move'; readonly host: string; readonly path: string }
  | { readonly do: 'hold' }
  | { readonly do: 'resume' }
  | { readonly do: 'update'; readonly changes: UpdateSession };

export interface SendRequest {
  readonly sessionId: string;
  /** Who sends it: a session that is neither theirs nor shared with them to operate is not there. Left out, anybody may. */
  readonly userId?: string;
  readonly admission: Admission;
  /** What the agent gets instead of the masked message, encrypted. */
  readonly original: string | null;
  /** Files that came with it. */
  readonly attachments?: readonly StoredAttachment[];
  /** Most runs of the session that may be queued. */
  readonly queueMax: number;
}

/** A file beside its run. Not masked, because it need not be text; so it is encrypted. */
export interface StoredAttachment {
  readonly name: string;
  readonly mediaType: string;
  /** Its bytes as base64, encrypted. */
  readonly sealed: string;
}

export interface RunEdit {
  readonly payload?: string;
  /** Goes with the payload; null if masking changed nothing. */
  readonly original?: string | null;
  readonly before?: string | null;
}

export interface Sent {
  readonly receipt: Receipt;
  readonly changes: readonly StatusChange[];
}

export interface SessionFilter {
  readonly ownerId?: string;
  /** Those of this user, and those shared with them. */
  readonly visibleTo?: string;
  readonly status?: SessionStatus;
  readonly tag?: string;
  readonly label?: string;
  /** A part of the name, letter case aside. */
  readonly name?: string;
  readonly archived: boolean;
  readonly limit: number;
  /** The newest first (ids sort by age), which is the default, or the last active first. */
  readonly order?: SessionOrder;
  /** The last of the page before, as it was read then; what follows it in the order is listed. */
  readonly after?: Pick<SessionRecord, 'id' | 'lastActiveAt'>;
}

/** Whose connections they are, and which node holds them. */
export interface ConnectionKey {
  readonly sessionId: string;
  readonly nodeId: string;
}

export interface NewConnection {
  readonly id: string;
  readonly userId: string;
  readonly kind: 'sse' | 'ws';
}

/** An invocation as it is stored: times are numbers. */
export interface InvocationRecord
  extends Omit<Invocation, 'startedAt' | 'finishedAt' | 'durationMs'> {
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

/** What an ended attempt leaves on its session, if its fence is still the lane's (Q6). */
export interface TurnResult {
  readonly fence: number;
  readonly lastResponse: string | null;
  readonly conversation: string | null;
  /** Of a turn that has ended; left out, what was known stays. */
  readonly conversationHead?: string;
  /** Takes the place of what earlier invocations were estimated to cost (A5). */
  readonly usageEarlier?: Usage;
  /** What the agent has counted so far; left out, what was known stays. */
  readonly usageAfter?: Json;
}

export interface SessionFor {
  readonly found: SessionWithFacts;
  readonly share: ShareLevel | null;
}

export interface SessionStore {
  /** Makes the session (PENDING), its lane and `session.created`. Throws `name_taken`. */
  createSession(session: NewSession): Promise<SessionWithFacts>;
  getSession(id: string): Promise<SessionWithFacts | null>;
  /** With what of it is shared with a user. */
  getSessionFor(id: string, userId: string): Promise<SessionFor | null>;
  listSessions(filter: SessionFilter): Promise<SessionWithFacts[]>;
  /** Throws `not_found`. */
  changeSession(id: string, command: SessionCommand): Promise<Changed>;
  /**
   * Admits a message and moves the session: ready ones become ACTIVE, those that ended idle or as
   * an orphan and those in ERROR are prepared anew (S5). Throws `not_found`, `session_ended`,
   * `queue_full`, `idempotency_conflict`, `session_busy`. A known idempotency key changes nothing.
   */
  sendMessage(request: SendRequest): Promise<Sent>;
  /**
   * Gives a queued run another payload with its original, another place, or both, in one. Throws
   * `not_found`, `run_not_queued`, and `invalid_request` if `before` is not queued in its lane.
   */
  editRun(runId: string, edit: RunEdit): Promise<Run>;
  /**
   * A finished run again, as a new one at the head, with its original; moves the session. The payload
   * is the finished one's by default.
   */
  retryRun(runId: string, newId: string, payload?: string): Promise<Changed>;
  /** The encrypted original of a run's message. */
  readOriginal(runId: string): Promise<string | null>;
  readAttachments(runId: string): Promise<StoredAttachment[]>;
  /** Cancels unfinished runs at once and removes everything of the session. Throws
   * `session_protected`, and `session_busy` while a run still executes (its cancel is under way). */
  deleteSession(id: string): Promise<void>;
  /** Enters connections; makes an IDLE session ACTIVE. Throws `not_found`, `node_lost`. */
  openConnections(
    place: ConnectionKey,
    connections: readonly NewConnection[],
  ): Promise<readonly StatusChange[]>;
  closeConnections(ids: readonly string[]): Promise<void>;
  /**
   * Looks at everything that time and others' deaths change, level-triggered: ACTIVE sessions that
   * have gone quiet become IDLE and get their time, IDLE ones whose time has come are TERMINATED,
   * rows of dead nodes' connections go, and connection counts that changed are told in the log.
   * At most `limit` sessions a call; `more` if there may be others. `nextAt` is the next destroyAt.
   */
  reconcileSessions(limit: number): Promise<Reconciled>;
  /** PENDING sessions that this host may prepare, oldest first. */
  listPending(host: string, limit: number): Promise<SessionWithFacts[]>;
  /**
   * Stores an invocation, or what has become of it, with what it leaves on its session. Cost and
   * tokens that are new are told by `agent.usage` and `session.cost`, estimates once it has ended.
   * Put again it replaces itself, unless it has ended and this is from before.
   * True if it has ended by this, which happens once. Throws `conversation_taken`.
   */
  putInvocation(invocation: InvocationRecord, turn?: TurnResult): Promise<boolean>;
  listInvocations(runId: string): Promise<InvocationRecord[]>;
  /** Of a session: those whose end was never recorded. */
  listUnfinished(sessionId: string): Promise<InvocationRecord[]>;
  sumInvocations(sessionId: string): Promise<InvocationSums>;
  /** The same by model and source, the most expensive first. */
  sumByModel(sessionId: string): Promise<ModelSums[]>;
  /** Sums over ended invocations: of `day` in the order of days, of others the most expensive first. */
  listCosts(filter: CostFilter): Promise<CostLine[]>;
  /** What the workspace was like when an attempt began. Takes the place of what is known of its session. */
  putSnapshot(snapshot: SnapshotRecord): Promise<void>;
  /** The latest of a run. */
  readSnapshot(runId: string): Promise<SnapshotRecord | null>;
  /** Per run, in USD; runs without an invocation are missing. */
  costsOf(runIds: readonly string[]): Promise<Map<string, number>>;
  countSessions(): Promise<Record<SessionStatus, number>>;
  /** Sessions that have been PENDING for so long. */
  countPending(ageMs: number): Promise<number>;
  /** Runs of the sessions that a user may see, by id, which is by age. */
  listVisibleRuns(userId: string, filter: Omit<RunFilter, 'lane'>): Promise<Run[]>;
  /** Of the same, by state. */
  countVisible(userId: string): Promise<Counts>;
  /**
   * Figures over the sessions that a user may see; null is all. Of very many runs only the latest
   * are looked at, so that it does not cost more the longer an installation lives.
   */
  stats(visibleTo: string | null): Promise<Stats>;
  /** Deleted sessions whose workspace lies on this host, until it is said to be removed. */
  listLeftWorkspaces(host: string, limit: number): Promise<string[]>;
  forgetLeftWorkspace(sessionId: string): Promise<void>;
  /** One named text of the installation, such as the check of the secret key. */
  readSetting(name: string): Promise<string | null>;
  /** Stores it if there is none; answers what is stored. */
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
  /** Ended at this time or later, and before `to`. */
  readonly from: number;
  readonly to: number;
  /** Of sessions that this user may see; of all unless told. */
  readonly visibleTo?: string;
  readonly limit: number;
}

export interface SnapshotRecord {
  readonly runId: string;
  readonly sessionId: string;
  readonly attempt: number;
  readonly kind: string;
  /** What whoever made it needs to find it again. */
  readonly ref: Json;
}

export type { SessionRecord, SessionWithFacts };
