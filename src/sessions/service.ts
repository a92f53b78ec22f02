import type { Readable } from 'node:stream';
import type { Principal } from '../access/principal.ts';
import type { Page } from '../access/service.ts';
import type { PutShares, Share } from '../contract/access.ts';
import type { CostBy, CostLine } from '../contract/api/cost.ts';
import type { RunOrder } from '../contract/api/runs.ts';
import type {
  Approval,
  ApprovalOriginal,
  ApprovalState,
  DecideApproval,
} from '../contract/approval.ts';
import type { LogEvent } from '../contract/event.ts';
import type { Level } from '../contract/level.ts';
import type { MessageReceipt, MessageRequest } from '../contract/message.ts';
import type { ScopeRules, TestPolicy, Verdict } from '../contract/policy.ts';
import type { RunState } from '../contract/run.ts';
import type { Cost, EditRun, Invocation, RunView } from '../contract/run-view.ts';
import type {
  CreateSession,
  ForkSession,
  MoveSession,
  Session,
  SessionAction,
  SessionOrder,
  SessionStatus,
  UpdateSession,
} from '../contract/session.ts';
import type { SessionHint } from '../contract/session-event.ts';
import type { Stats } from '../contract/stats.ts';
import type { SyncStatus, WorkspaceView } from '../contract/workspace.ts';
import type { Tail } from '../queue/follow/tail.ts';
import type { Counts } from '../queue/store.ts';
import type { RuleScope } from './approvals/approval-store.ts';
import type { HostRecord, HostRef } from './host-store.ts';

export interface SessionQuery {
  readonly ownerId?: string | undefined;
  readonly status?: SessionStatus | undefined;
  readonly tag?: string | undefined;
  readonly label?: string | undefined;
  readonly name?: string | undefined;
  readonly archived?: boolean | undefined;
  readonly order?: SessionOrder | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface RunQuery {
  readonly sessionId?: string | undefined;
  readonly state?: RunState | undefined;
  readonly order?: RunOrder | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ApprovalQuery {
  readonly state?: ApprovalState | undefined;
  readonly sessionId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface CostQuery {
  readonly by?: CostBy | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A log to read or follow: a whole session's, or only that of one run. */
export interface LogTarget {
  readonly sessionId: string;
  readonly runId: string | null;
  /** The last seq of the log; a cursor past it is invalid. */
  readonly lastSeq: number;
}

/** A registered connection. It ends when it is closed, or when its node's lease ends. */
export interface Connection {
  close(): void;
}

/**
 * What people and programs do with sessions. Channels, routes and commands call this and nothing
 * below it. Calls throw coded errors (contract/errors.ts): `not_found` for anything that is neither
 * the caller's nor shared with them, `forbidden` if the share gives less access than the call
 * requires.
 */
export interface SessionService {
  create(by: Principal, body: CreateSession): Promise<Session>;
  get(by: Principal, id: string): Promise<Session>;
  list(by: Principal, query: SessionQuery): Promise<Page<Session>>;
  update(by: Principal, id: string, body: UpdateSession): Promise<Session>;
  /** `level` is the access that the caller needs; `operate` by default. */
  act(by: Principal, id: string, action: SessionAction, level?: Level): Promise<Session>;
  fork(by: Principal, id: string, body: ForkSession): Promise<Session>;
  /** The hosts that run agents. */
  hosts(by: Principal): Promise<HostRecord[]>;
  /** Moves it to a host that already has its workspace; queued runs execute there (Q23). */
  move(by: Principal, id: string, body: MoveSession): Promise<Session>;
  /** Cancels unfinished runs, waits for them to end, then removes the session. */
  remove(by: Principal, id: string): Promise<void>;
  cost(by: Principal, id: string): Promise<Cost>;
  /** Sums over all sessions that the caller may see. */
  costs(by: Principal, query: CostQuery): Promise<CostLine[]>;
  workspaces(by: Principal, id: string): Promise<WorkspaceView[]>;
  /** The full text of a result whose event contains only its beginning (E5). */
  artefact(by: Principal, id: string, name: string): Promise<Readable>;
  /**
   * Creates the workspace if it is missing and this node may do so, then reports its status (W6).
   */
  syncStatus(by: Principal, id: string): Promise<SyncStatus>;
  /**
   * A host that has its files: the one it is pinned to or, with a shared data directory, any that is
   * alive, `here` if possible. Null if there is none.
   */
  hostOf(by: Principal, id: string, here: string): Promise<HostRef | null>;
  shares(by: Principal, id: string): Promise<Share[]>;
  share(by: Principal, id: string, body: PutShares): Promise<Share[]>;

  send(
    by: Principal,
    id: string,
    body: MessageRequest,
    idempotencyKey: string | null,
  ): Promise<MessageReceipt>;
  listRuns(by: Principal, query: RunQuery): Promise<Page<RunView>>;
  getRun(by: Principal, id: string): Promise<RunView>;
  editRun(by: Principal, id: string, body: EditRun): Promise<RunView>;
  removeRun(by: Principal, id: string): Promise<void>;
  cancelRun(by: Principal, id: string): Promise<RunView>;
  retryRun(by: Principal, id: string): Promise<RunView>;
  invocations(by: Principal, runId: string): Promise<Invocation[]>;
  counts(by: Principal): Promise<Counts>;
  stats(by: Principal): Promise<Stats>;

  listApprovals(by: Principal, query: ApprovalQuery): Promise<Page<Approval>>;
  getApproval(by: Principal, id: string): Promise<Approval>;
  /** Works exactly once. After that, or once the run has ended, throws `approval_decided`. */
  decideApproval(by: Principal, id: string, body: DecideApproval): Promise<Approval>;
  /**
   * The unmasked call, for people who may answer it, even after it has been answered. Audited (P4).
   */
  revealApproval(by: Principal, id: string): Promise<ApprovalOriginal>;
  /** Until rules are set for a channel, it has default ones. */
  rules(by: Principal, scope: RuleScope): Promise<ScopeRules>;
  putRules(by: Principal, scope: RuleScope, rules: ScopeRules): Promise<ScopeRules>;
  testPolicy(by: Principal, body: TestPolicy): Promise<Verdict>;

  sessionLog(by: Principal, id: string): Promise<LogTarget>;
  runLog(by: Principal, runId: string): Promise<LogTarget>;
  events(target: LogTarget, after: number, limit: number): Promise<LogEvent[]>;
  follow(target: LogTarget, after: number, signal: AbortSignal): Tail;
  hints(by: Principal, signal: AbortSignal): AsyncIterable<SessionHint>;
  connect(by: Principal, sessionId: string, kind: 'sse' | 'ws'): Promise<Connection>;
}
