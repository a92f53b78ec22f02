import type { LogEvent, NewEvent } from '../contract/event.ts';
import type { CancelKind, Lane } from '../contract/lane.ts';
import type { NodeInfo, NodeRecord } from '../contract/node.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { LaneSettings, OnBusy, Run, RunState } from '../contract/run.ts';
import type { Schedule, Tick } from '../contract/schedule.ts';
import type { Hint } from './hint.ts';
import type { Ending } from './machine/lane-machine.ts';

/*
 * The port behind the queue. Three adapters implement it (memory, SQLite, PostgreSQL) and pass the
 * same conformance suite (conformance/store.ts). Every method is one atomic transaction that also
 * appends the events for its changes. Times come from the store's own clock.
 */

/** A run to admit, already validated against its schema. */
export interface Admission {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly payload: string;
  /** If null, the run gets its own lane, with the run's id. */
  readonly lane: string | null;
  readonly owner: string;
  readonly runAt: number | null;
  readonly delayMs: number | null;
  readonly maxAttempts: number;
  readonly idempotencyKey: string | null;
  /** Hash of the request body; the same key with a different hash is refused. */
  readonly bodyHash: string | null;
  readonly onBusy: OnBusy;
  /** The schedule's tick that creates the run; recorded in its first event. */
  readonly tick?: Tick;
}

export interface Receipt {
  readonly id: string;
  readonly lane: string;
  readonly state: RunState;
  /** The number of runs ahead of it in the lane, including the one in progress. */
  readonly position: number;
  /** True if the idempotency key was known and nothing was added. */
  readonly known: boolean;
}

export interface Caps {
  /** How many runs of a type may execute at once in the whole cluster. */
  readonly types: Readonly<Record<string, number>>;
  /** How many runs of one owner may execute at once in the whole cluster; null means no cap. */
  readonly perOwner: number | null;
}

export interface ClaimRequest {
  readonly nodeId: string;
  readonly types: readonly string[];
  /** The maximum number of runs to claim; the node's capacity and the caps also apply. */
  readonly limit: number;
  readonly caps: Caps;
}

export interface ClaimedRun {
  readonly run: Run;
  readonly fence: number;
}

/**
 * A worker's write about an attempt, under its fence. The fields are applied in order; `start` and
 * `end` in one write are two transitions in one transaction.
 */
export interface AttemptWrite {
  readonly lane: string;
  readonly fence: number;
  /**
   * Numbers the writes under one fence, starting at 1. A store whose response can be lost after the
   * commit keeps the last number with the fence. For a known number it returns true without
   * applying the write again: a write repeated after a broken connection must not append its events
   * twice.
   */
  readonly no?: number;
  readonly start?: boolean;
  readonly events?: readonly NewEvent[];
  /** The final outcome, committed before the attempt cleans up (Q10). */
  readonly commit?: Outcome;
  /** The run opens a question and frees its slot. */
  readonly ask?: boolean;
  readonly end?: Ending;
}

/** Changes that users, or programs built on the queue, can make. */
export type Command =
  | { readonly do: 'cancel'; readonly run: string; readonly kind: CancelKind }
  | { readonly do: 'edit'; readonly run: string; readonly payload: string }
  /** Moves the run before another queued run of the lane; null moves it to the end. */
  | { readonly do: 'move'; readonly run: string; readonly before: string | null }
  | { readonly do: 'remove'; readonly run: string }
  /** Copies a finished run to the head of its lane, by default with the same payload. */
  | {
      readonly do: 'retry';
      readonly run: string;
      readonly newId: string;
      readonly payload?: string;
    }
  | { readonly do: 'answer'; readonly run: string }
  | { readonly do: 'hold'; readonly lane: string }
  | { readonly do: 'resume'; readonly lane: string }
  /** Creates the lane if it does not exist. */
  | { readonly do: 'configure'; readonly lane: string; readonly settings: LaneSettings }
  /** Appends an event without a run to a lane's log; creates the lane if it does not exist. */
  | { readonly do: 'note'; readonly lane: string; readonly event: NewEvent };

export interface RunFilter {
  readonly lane?: string;
  readonly states?: readonly RunState[];
  readonly limit: number;
  /** Continue after this id, in the requested order (ids sort by age). */
  readonly after?: string;
  readonly newestFirst?: boolean;
}

export type Counts = Record<RunState, number>;

export interface QueueStore {
  enqueue(admissions: readonly Admission[]): Promise<Receipt[]>;
  /**
   * Assigns up to `limit` runs to the node, each with a new fence. Lets due runs join their lanes,
   * gives answered runs their slots back, then serves the owners in turn, starting with those that
   * have the fewest executing runs. Caps apply across all nodes. A slot of a capped type may be
   * left for another host whose lane is next; that host gets a hint (see claim-plan.ts). Throws
   * `node_lost` if the node's lease has expired.
   */
  claim(request: ClaimRequest): Promise<ClaimedRun[]>;
  /** Returns one result per write: false if its fence is outdated; such a write has no effect. */
  write(writes: readonly AttemptWrite[]): Promise<boolean[]>;
  /**
   * Returns the run, or null for commands on lanes. Throws coded errors; see contract/errors.ts.
   */
  change(command: Command): Promise<Run | null>;
  get(id: string): Promise<Run | null>;
  getLane(id: string): Promise<Lane | null>;
  /** Ordered by id, and thus by age. */
  list(filter: RunFilter): Promise<Run[]>;
  /**
   * A lane's queued runs in the order they will start; begins after the run `after` if it is
   * queued.
   */
  listQueued(lane: string, limit: number, after?: string): Promise<Run[]>;
  counts(): Promise<Counts>;
  /**
   * Removes runs that finished before the given time, along with their events, except the runs of
   * `kept` lanes.
   */
  purge(request: {
    readonly before: number;
    readonly limit: number;
  }): Promise<{ runs: number; lanes: number }>;
  /** Types at the head of ready lanes that no live node handles. */
  unhandledTypes(): Promise<string[]>;
  /**
   * Hosts that have ready lanes pinned to them but no live worker (Q23): their names, or the ids of
   * those without a name.
   */
  strandedHosts(): Promise<string[]>;
}

/** Where to start reading a lane's log, and how many events to read. */
export interface LogCursor {
  readonly lane: string;
  readonly after: number;
  readonly limit: number;
}

/**
 * Each lane's append-only log, written by the queue's transactions. A lane's events become visible
 * in seq order, so a read never shows an event before its predecessors; a missing event was
 * removed.
 */
export interface LogStore {
  /** The lane's events after the given seq, in order; with `runId`, only those of that run. */
  listAfter(lane: string, after: number, limit: number, runId?: string): Promise<LogEvent[]>;
  /** The same for several lanes in one read, in the order of the cursors. */
  listAfterEach(cursors: readonly LogCursor[]): Promise<LogEvent[]>;
  /**
   * The last seq assigned in each lane, even if that event was removed. Unknown lanes have no
   * entry.
   */
  lastSeqs(lanes: readonly string[]): Promise<Map<string, number>>;
}

/** The result of a node's periodic poll of the database. */
export interface Poll {
  /** Lanes this node holds. If a lane is missing here, it has been taken away from the node. */
  readonly holds: readonly HeldLane[];
  /** Other nodes on the same host, and nodes whose lease has expired. */
  readonly nodes: readonly (NodeRecord & { readonly expired: boolean })[];
  /**
   * Milliseconds until the next lane's delay ends or the next run is due, if that is soon; a hint
   * for the next claim.
   */
  readonly nextDueMs: number | null;
  /** The installation is stopped. */
  readonly stopped: boolean;
}

export interface HeldLane {
  readonly lane: string;
  readonly fence: number;
  readonly state: 'running' | 'asking';
  readonly cancel: CancelKind | null;
}

export interface NodeStore {
  /** Registers the node and starts its lease. */
  join(node: NodeInfo, leaseMs: number): Promise<void>;
  /** False if the lease had already expired; an expired lease is not revived. */
  renew(nodeId: string, leaseMs: number): Promise<boolean>;
  /** Removes the node; runs it still holds are taken over like those of a dead node. */
  leave(nodeId: string): Promise<void>;
  poll(nodeId: string): Promise<Poll>;
  /**
   * Takes over the runs of nodes whose lease has expired, and of the nodes in `provenDead`, which
   * the caller has proven dead on its own host. Returns each run with its new state.
   */
  takeOver(provenDead: readonly string[]): Promise<TakenOverRun[]>;
  listNodes(): Promise<NodeRecord[]>;
  /**
   * Renews the lease on another thread if the store can, so that a blocked event loop does not lose
   * it.
   */
  keepLease(nodeId: string, options: KeepLease): LeaseKeeper;
}

export interface TakenOverRun {
  readonly run: string;
  readonly lane: string;
  readonly node: string;
  readonly state: RunState;
  readonly crashes: number;
}

export interface KeepLease {
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How long the main thread may block before the lease is given up. */
  readonly stallMs: number;
  /** When the join was sent, on the clock of lease-renewal.ts; defaults to now. */
  readonly sentAt?: number;
}

export interface LeaseKeeper {
  /** Milliseconds for which the lease can still be trusted; 0 or less means stop. */
  remainingMs(): number;
  /** True once the store has reported that the lease is gone. */
  lost(): boolean;
  stop(): Promise<void>;
}

/** A schedule to store; the store adds its own timestamps and keeps the last firing. */
export interface ScheduleWrite
  extends Omit<Schedule, 'payload' | 'createdAt' | 'updatedAt' | 'lastAt' | 'lastRunId'> {
  /** JSON text. */
  readonly payload: string;
}

export interface DueSchedules {
  /** The store's time at this read; `due` is relative to it. */
  readonly now: number;
  /** Ordered by time and id. */
  readonly due: readonly Schedule[];
  /** The first tick that is not due yet. */
  readonly nextAt: number | null;
}

/** One tick of a schedule, fired by the first node that gets to it. */
export interface Firing {
  readonly id: string;
  /** The schedule's version when it was found to be due. */
  readonly version: string;
  /** The tick after this one; null if it was the last. */
  readonly nextAt: number | null;
  /** The run to create. Its id becomes the schedule's new version. */
  readonly admission: Admission;
}

export interface ScheduleStore {
  /**
   * Creates a schedule (if `expected` is null) or replaces the schedule that has that version.
   * Returns null and changes nothing if the schedule already exists or has a different version; the
   * caller then reads it again. Retrying a write whose response was lost returns the same response.
   */
  putSchedule(schedule: ScheduleWrite, expected: string | null): Promise<Schedule | null>;
  getSchedule(id: string): Promise<Schedule | null>;
  /** Ordered by id. */
  listSchedules(filter: {
    readonly owner?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<Schedule[]>;
  /** False if the schedule did not exist. */
  removeSchedule(id: string): Promise<boolean>;
  /** Due ticks, oldest first, optionally only those after a given tick. */
  dueSchedules(page: {
    readonly limit: number;
    readonly after: { readonly nextAt: number; readonly id: string } | null;
  }): Promise<DueSchedules>;
  /**
   * Advances the schedule and admits the run in one transaction, if the schedule still has that
   * version and its tick is due on the store's clock. Otherwise returns false and changes nothing:
   * another node fired the tick, or the schedule was changed. Repeating a firing returns true and
   * does nothing.
   */
  fireSchedule(firing: Firing): Promise<boolean>;
  /** The store's time, which decides what is due. */
  time(): Promise<number>;
}

/** When, why and by whom the installation was stopped. */
export interface StopRecord {
  readonly since: number;
  readonly by: string;
  readonly reason: string | null;
}

/**
 * The switch that stops the whole installation. While it is on, claims still let due runs join
 * their lanes, but hand out no runs and no slots. Workers see it in `poll` and hand back their
 * runs.
 */
export interface StopStore {
  /** Null unless the installation is stopped. */
  getStop(): Promise<StopRecord | null>;
  /**
   * Stops the installation, or resumes it if `stop` is null, and sends a hint to every node. Once
   * this has returned, no claim hands out anything. Stopping again replaces `by` and `reason`, not
   * `since`.
   */
  setStop(stop: Omit<StopRecord, 'since'> | null): Promise<StopRecord | null>;
}

export interface Store extends QueueStore, LogStore, NodeStore, ScheduleStore, StopStore {
  /**
   * Calls the listener after every commit that others may need to know about. Returns a function to
   * unsubscribe.
   */
  onHint(listener: (hint: Hint) => void): () => void;
  /** Finishes operations in progress and releases all resources. Safe to call twice. */
  close(): Promise<void>;
}

/** A clock for tests; without one, a store uses its database's clock. */
export type Clock = () => number;
