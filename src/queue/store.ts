import type { LogEvent, NewEvent } from '../contract/event.ts';
import type { CancelKind, Lane } from '../contract/lane.ts';
import type { NodeInfo, NodeRecord } from '../contract/node.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { LaneSettings, OnBusy, Run, RunState } from '../contract/run.ts';
import type { Schedule, Tick } from '../contract/schedule.ts';
import type { Ending } from './machine/lane-machine.ts';

/*
 * The port behind the queue. Three adapters keep its promises (memory, SQLite, PostgreSQL) and run
 * the same contract suite (store.contract.ts). Every method is one transaction that also appends
 * the events of what it changed; it either happened whole or not at all. Times are the store's own.
 */

/** A run to be admitted, already checked against its schema. */
export interface Admission {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly payload: string;
  /** null: the run gets a lane of its own, named by its id. */
  readonly lane: string | null;
  readonly owner: string;
  readonly runAt: number | null;
  readonly delayMs: number | null;
  readonly maxAttempts: number;
  readonly idempotencyKey: string | null;
  /** Of the body; the same key with another hash is refused. */
  readonly bodyHash: string | null;
  readonly onBusy: OnBusy;
  /** The tick that makes the run, told in its first event. */
  readonly tick?: Tick;
}

export interface Receipt {
  readonly id: string;
  readonly lane: string;
  readonly state: RunState;
  /** How many runs of the lane are before it, the one under way included. */
  readonly position: number;
  /** True if the idempotency key was known and nothing was added. */
  readonly known: boolean;
}

export interface Caps {
  /** Most runs of a type executing in the whole cluster. */
  readonly types: Readonly<Record<string, number>>;
  /** Most runs of one owner executing in the whole cluster; null is no cap. */
  readonly perOwner: number | null;
}

export interface ClaimRequest {
  readonly nodeId: string;
  readonly types: readonly string[];
  /** At most this many; the node's capacity and the caps are checked besides. */
  readonly limit: number;
  readonly caps: Caps;
}

export interface ClaimedRun {
  readonly run: Run;
  readonly fence: number;
}

/**
 * What a worker writes about an attempt, under its fence. Applied in the order of the fields.
 * `start` and `end` in one write are two transitions in one transaction.
 */
export interface AttemptWrite {
  readonly lane: string;
  readonly fence: number;
  /**
   * Counts the writes of one fence from 1. A store whose answer can be lost on the way after the
   * commit keeps the last number beside the fence, and answers true to one it already has without
   * doing it again: a write repeated after a broken connection must not append its events twice.
   */
  readonly no?: number;
  readonly start?: boolean;
  readonly events?: readonly NewEvent[];
  readonly commit?: Outcome;
  /** The run opens a question and frees its slot. */
  readonly ask?: boolean;
  readonly end?: Ending;
}

/** What a person or a program above the queue may change. */
export type Command =
  | { readonly do: 'cancel'; readonly run: string; readonly kind: CancelKind }
  | { readonly do: 'edit'; readonly run: string; readonly payload: string }
  /** Before another queued run of the lane; null is last. */
  | { readonly do: 'move'; readonly run: string; readonly before: string | null }
  | { readonly do: 'remove'; readonly run: string }
  /** A new run like a finished one, at the head of its lane; with its payload by default. */
  | {
      readonly do: 'retry';
      readonly run: string;
      readonly newId: string;
      readonly payload?: string;
    }
  | { readonly do: 'answer'; readonly run: string }
  | { readonly do: 'hold'; readonly lane: string }
  | { readonly do: 'resume'; readonly lane: string }
  /** Makes the lane if it is not there. */
  | { readonly do: 'configure'; readonly lane: string; readonly settings: LaneSettings }
  /** Appends to a lane's log without a run under way (made if it is not there). */
  | { readonly do: 'note'; readonly lane: string; readonly event: NewEvent };

export interface RunFilter {
  readonly lane?: string;
  readonly states?: readonly RunState[];
  readonly limit: number;
  /** The id after which to go on, in the order asked for (ids sort by age). */
  readonly after?: string;
  readonly newestFirst?: boolean;
}

export type Counts = Record<RunState, number>;

/** The queue itself. */
export interface QueueStore {
  enqueue(admissions: readonly Admission[]): Promise<Receipt[]>;
  /**
   * Gives up to `limit` runs to the node, each with a fresh fence. Joins due runs, gives answered
   * runs their slot back first, then serves owners in turn, fewest executing first. Caps hold over
   * all nodes. A slot of a capped type may be left for another host whose lane is next, which is then
   * hinted; see claim-plan.ts. Throws `node_lost` if the node's lease has ended.
   */
  claim(request: ClaimRequest): Promise<ClaimedRun[]>;
  /** One answer per write: false if its fence is old, and then nothing of it was done. */
  write(writes: readonly AttemptWrite[]): Promise<boolean[]>;
  /** Answers the run or null for commands on lanes. Throws coded errors; see contract/errors.ts. */
  change(command: Command): Promise<Run | null>;
  get(id: string): Promise<Run | null>;
  getLane(id: string): Promise<Lane | null>;
  /** Runs by id, which is by age. */
  list(filter: RunFilter): Promise<Run[]>;
  /** The queued runs of a lane in the order they will start, from the one after `after` on if that is queued. */
  listQueued(lane: string, limit: number, after?: string): Promise<Run[]>;
  counts(): Promise<Counts>;
  /** Removes finished runs that ended before a time and belong to no kept lane, with their log. */
  purge(request: {
    readonly before: number;
    readonly limit: number;
  }): Promise<{ runs: number; lanes: number }>;
  /** Types at the head of ready lanes that no live node handles. */
  unhandledTypes(): Promise<string[]>;
  /** Hosts of ready lanes without a live worker (Q23). */
  strandedHosts(): Promise<string[]>;
}

/** From where, and how far, to read a lane's log. */
export interface LogCursor {
  readonly lane: string;
  readonly after: number;
  readonly limit: number;
}

/**
 * Each lane's append-only log. Writing it is part of the queue's transactions. A lane's events become
 * visible in the order of their seq, so a read shows no event without all those before it; what is
 * missing then was removed.
 */
export interface LogStore {
  /** Events of a lane after a seq, in order; `runId` keeps only those of one run. */
  listAfter(lane: string, after: number, limit: number, runId?: string): Promise<LogEvent[]>;
  /** The same for several lanes at the price of one read; the lanes in the order asked for. */
  listAfterEach(cursors: readonly LogCursor[]): Promise<LogEvent[]>;
  /** The seq of the last event each lane was given, removed ones included. No lane, no entry. */
  lastSeqs(lanes: readonly string[]): Promise<Map<string, number>>;
}

/** What a node's periodic look at the database shows it. */
export interface Poll {
  /** Lanes this node holds. One that is missing here was taken away. */
  readonly holds: readonly HeldLane[];
  /** Other nodes that share its host, and nodes whose lease has ended. */
  readonly nodes: readonly (NodeRecord & { readonly expired: boolean })[];
  /** Milliseconds until the next delayed lane or due run, if one is near; a hint for the next claim. */
  readonly nextDueMs: number | null;
  /** Everything is stopped. */
  readonly stopped: boolean;
}

export interface HeldLane {
  readonly lane: string;
  readonly fence: number;
  readonly state: 'running' | 'asking';
  readonly cancel: CancelKind | null;
}

export interface NodeStore {
  /** Enters the node and starts its lease. */
  join(node: NodeInfo, leaseMs: number): Promise<void>;
  /** False if the lease had already ended; it is then not revived. */
  renew(nodeId: string, leaseMs: number): Promise<boolean>;
  /** The node goes; runs it still holds are taken over like those of a dead node. */
  leave(nodeId: string): Promise<void>;
  poll(nodeId: string): Promise<Poll>;
  /**
   * Takes over the runs of nodes whose lease has ended and of those named, which the caller has
   * proven dead on its own host. Answers what became of each run.
   */
  takeOver(provenDead: readonly string[]): Promise<TakenOverRun[]>;
  listNodes(): Promise<NodeRecord[]>;
  /** Renews off the main thread where the store can, so that a blocked event loop keeps its lease. */
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
  /** How long the main thread may be blocked before the lease is given up. */
  readonly stallMs: number;
  /** When the join was sent, on the clock of lease-keeper.ts; without it, now is taken. */
  readonly sentAt?: number;
}

export interface LeaseKeeper {
  /** Milliseconds the lease is still safe to trust; 0 or less means stop. */
  remainingMs(): number;
  /** True once the store has said that the lease is gone. */
  lost(): boolean;
  stop(): Promise<void>;
}

/** A schedule as it is to be stored; the store adds its own times and keeps what was fired. */
export interface ScheduleWrite
  extends Omit<Schedule, 'payload' | 'createdAt' | 'updatedAt' | 'lastAt' | 'lastRunId'> {
  /** JSON text. */
  readonly payload: string;
}

export interface DueSchedules {
  /** The store's time of this look; what is due is due at this time. */
  readonly now: number;
  /** By time and id. */
  readonly due: readonly Schedule[];
  /** The first tick that is not due yet. */
  readonly nextAt: number | null;
}

/** One tick of a schedule, to be fired by whoever is first. */
export interface Firing {
  readonly id: string;
  /** The schedule's version when it was found due. */
  readonly version: string;
  /** The tick after this one; null if it was the last. */
  readonly nextAt: number | null;
  /** The run it makes. Its id becomes the schedule's new version. */
  readonly admission: Admission;
}

export interface ScheduleStore {
  /**
   * Makes a schedule (`expected` null) or replaces the one of that version. Null if there is one
   * already, or it has another version: then nothing changed, and the caller looks again. The same
   * write once more, because its answer was lost, answers what it answered.
   */
  putSchedule(schedule: ScheduleWrite, expected: string | null): Promise<Schedule | null>;
  getSchedule(id: string): Promise<Schedule | null>;
  /** By id. */
  listSchedules(filter: {
    readonly owner?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<Schedule[]>;
  /** False if there was none. */
  removeSchedule(id: string): Promise<boolean>;
  /** Ticks that are due, from the oldest, or from behind one already looked at. */
  dueSchedules(page: {
    readonly limit: number;
    readonly after: { readonly nextAt: number; readonly id: string } | null;
  }): Promise<DueSchedules>;
  /**
   * Advances the schedule and admits the run in one transaction, if it still has that version and
   * its tick is due on the store's clock. Else false, and nothing happened: another node fired it,
   * or it was changed. The same firing once more answers true and does nothing.
   */
  fireSchedule(firing: Firing): Promise<boolean>;
  /** The store's time, which decides what is due. */
  time(): Promise<number>;
}

/** That everything is stopped. */
export interface StopRecord {
  readonly since: number;
  /** Who stopped it. */
  readonly by: string;
  readonly reason: string | null;
}

/**
 * The switch that stops everything. While it is on, claims still let due runs join their lanes, but
 * give out no run and no slot. What has begun is for the workers to hand back, which see it in `poll`.
 */
export interface StopStore {
  /** Null unless everything is stopped. */
  getStop(): Promise<StopRecord | null>;
  /**
   * Stops everything, or resumes with null; hints every node. No claim gives out anything from when
   * this is answered. Stopping again replaces `by` and `reason` and keeps `since`.
   */
  setStop(stop: Omit<StopRecord, 'since'> | null): Promise<StopRecord | null>;
}

/** What changed, told after the commit. Only a hint: losing one costs a polling interval. */
export interface Hint {
  readonly ready: boolean;
  readonly nodes: readonly string[];
  readonly lanes: readonly string[];
  /** Hints were lost, or there were too many to name: look at everything you follow. */
  readonly all?: boolean;
  /** A schedule was made, changed or removed. */
  readonly schedules?: boolean;
  /** What somebody may do has changed. */
  readonly access?: boolean;
}

export interface Store extends QueueStore, LogStore, NodeStore, ScheduleStore, StopStore {
  /** Calls back after every commit that may concern someone. Returns how to stop it. */
  onHint(listener: (hint: Hint) => void): () => void;
  /** Finishes what is under way and lets go of everything. Safe to call twice. */
  close(): Promise<void>;
}

/** The clock of tests; without one a store uses its database's. */
export type Clock = () => number;
