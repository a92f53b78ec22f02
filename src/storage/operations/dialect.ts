import type { Lane } from '../../contract/lane.ts';
import type { RunState } from '../../contract/run.ts';
import type { LaneChange, RunCore } from '../../queue/machine/lane-change.ts';
import type { AttemptWrite, ClaimedRun, ClaimRequest, Hint, LogCursor } from '../../queue/store.ts';
import type { EventRow } from '../rows.ts';
import type { StoredSession } from '../session-rows.ts';
import type { Op, Value } from '../statement.ts';

/** A lane that is made if it is not there. */
export interface NewLane {
  readonly id: string;
  readonly owner: string;
}

/** A run's row at its admission. */
export interface NewRun {
  readonly core: RunCore;
  readonly lane: string;
  readonly owner: string;
  readonly payload: string;
  readonly retryOf: string | null;
  readonly idemScope: string | null;
  readonly idemKey: string | null;
  readonly bodyHash: string | null;
  readonly kept: boolean;
  readonly createdAt: number;
  readonly firstSeq: number;
}

/** What a claim finds: upkeep to be done first, or runs, which are then taken. */
export interface ClaimResult {
  /** False if the lease of the claiming node has ended. */
  readonly alive: boolean;
  readonly due: readonly string[];
  readonly delayed: readonly string[];
  readonly answered: readonly string[];
  readonly claimed: readonly ClaimedRun[];
  /** A slot was left for another host, which is to be hinted. */
  readonly left: boolean;
}

/** A lane, locked, with the run it has begun or would begin next. */
export interface LaneWithRun {
  readonly lane: Lane;
  readonly run: RunCore;
}

export type CountDeltas = Partial<Record<RunState, number>>;

/**
 * Where the two databases differ: statements over many rows, locks, and the choice of lanes. The
 * operations beside this file are written over it once.
 */
export interface Dialect {
  /** `column` is one of the list in placeholder $n; `list` makes its value. */
  oneOf(column: string, n: number): string;
  list(values: readonly string[]): Value;
  /** The store's time for reads; transactions are given theirs. */
  readTime(): Op<number>;
  /** Each lane's events after its seq, up to its limit. */
  eventsAfterEach(cursors: readonly LogCursor[]): Op<readonly EventRow[]>;
  ensureLanes(lanes: readonly NewLane[]): Op<void>;
  /** Locks in the order of ids, which all writers keep, so that they cannot deadlock. */
  lockLanes(ids: readonly string[]): Op<Lane[]>;
  /** The same without waiting: those that are locked are left out. */
  lockFreeLanes(ids: readonly string[]): Op<Lane[]>;
  /** Lanes that have a begun run, with it. */
  lockBegun(ids: readonly string[]): Op<LaneWithRun[]>;
  /**
   * Ends attempts that plainly succeeded for less than the machine would take, where a database can.
   * Answers the lanes it has done; what it has not is left to the machine.
   */
  finish?(writes: readonly AttemptWrite[], now: number): Op<ReadonlySet<string>>;
  insertRuns(runs: readonly NewRun[]): Op<void>;
  /** Stores changed lanes and runs, the events, and the counts. */
  save(changes: readonly LaneChange[]): Op<void>;
  /** Stores whole rows of sessions that are there; their lanes are locked. */
  saveSessions(sessions: readonly StoredSession[]): Op<void>;
  addCounts(deltas: CountDeltas): Op<void>;
  /** Keeps all nodes from claiming, until the end of the transaction. */
  lockClaims(): Op<void>;
  /** Locks a node's row against its own claims, until the end of the transaction. */
  lockNode(id: string): Op<void>;
  /**
   * Finds upkeep, unless told not to look for it, or else chooses lanes and gives them to the node:
   * `take` of the machine, its event and its counts. `now` null is the store's time.
   */
  claimLanes(request: ClaimRequest, now: number | null, upkeep: boolean): Op<ClaimResult>;
}

/** What an operation answers: its value, and what to tell others once it is committed. */
export interface Done<T> {
  readonly value: T;
  readonly hint: Hint;
  /** Told if it found nothing to change: then there is nothing for the audit log. */
  readonly changed?: false;
  /** Who it turned out to be, for a line of the audit log that does not know it yet. */
  readonly who?: string;
}

export const NO_HINT: Hint = { ready: false, nodes: [], lanes: [] };
/** What somebody may do has changed. */
export const ACCESS_CHANGED: Hint = { ...NO_HINT, access: true };

export const isEmptyHint = (hint: Hint): boolean =>
  !hint.ready &&
  hint.nodes.length === 0 &&
  hint.lanes.length === 0 &&
  hint.schedules !== true &&
  hint.access !== true;

export function done<T>(value: T, changes: Iterable<LaneChange>): Done<T> {
  const nodes = new Set<string>();
  const lanes: string[] = [];
  let ready = false;
  for (const change of changes) {
    ready ||= change.ready;
    for (const node of change.nodes) nodes.add(node);
    if (change.events.length > 0) lanes.push(change.lane.id);
  }
  return { value, hint: { ready, nodes: [...nodes], lanes } };
}

/** What several parts of one transaction have to tell. */
export function mergeHints(...hints: readonly Hint[]): Hint {
  return {
    ready: hints.some(({ ready }) => ready),
    nodes: [...new Set(hints.flatMap(({ nodes }) => nodes))],
    lanes: [...new Set(hints.flatMap(({ lanes }) => lanes))],
    ...(hints.some(({ schedules }) => schedules) ? { schedules: true } : {}),
    ...(hints.some(({ access }) => access) ? { access: true } : {}),
  };
}

/** Thrown to have the whole operation run again: what it read was gone when it locked. */
export class Again extends Error {
  override readonly name = 'Again';
}
