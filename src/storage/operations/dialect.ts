import { BatonError, type ErrorCode } from '../../contract/errors.ts';
import type { Lane } from '../../contract/lane.ts';
import type { RunState } from '../../contract/run.ts';
import { type Hint, READY } from '../../queue/hint.ts';
import type { LaneChange, RunCore } from '../../queue/machine/lane-change.ts';
import type { AttemptWrite, ClaimedRun, ClaimRequest, LogCursor } from '../../queue/store.ts';
import type { EventRow } from '../rows.ts';
import type { StoredSession } from '../session-rows.ts';
import type { Op, Value } from '../statement.ts';
import type { Topic } from '../topics.ts';

/** A lane to create if it is missing. */
export interface NewLane {
  readonly id: string;
  readonly owner: string;
}

/** A run's row at admission. */
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

/** The result of a claim: upkeep that has to be done first, or the claimed runs. */
export interface ClaimResult {
  /** False if the lease of the claiming node has expired. */
  readonly alive: boolean;
  readonly due: readonly string[];
  readonly delayed: readonly string[];
  readonly answered: readonly string[];
  readonly claimed: readonly ClaimedRun[];
  /** A slot was left for another host, which must be sent a hint. */
  readonly left: boolean;
}

/** A locked lane with its current run. */
export interface LaneWithRun {
  readonly lane: Lane;
  readonly run: RunCore;
}

export type CountDeltas = Partial<Record<RunState, number>>;

/**
 * The parts in which the two databases differ: statements over many rows, locks, and the choice of
 * lanes. The operations in this folder are built on these parts, so each operation is written only
 * once.
 */
export interface Dialect {
  /**
   * The SQL condition that `column` is in the list in placeholder $n. `list` returns the value for
   * that placeholder.
   */
  oneOf(column: string, n: number): string;
  list(values: readonly string[]): Value;
  /** The store's time, for reads; a transaction receives the time as an argument. */
  readTime(): Op<number>;
  /** Each lane's events after its seq, up to its limit. */
  eventsAfterEach(cursors: readonly LogCursor[]): Op<readonly EventRow[]>;
  ensureLanes(lanes: readonly NewLane[]): Op<void>;
  /**
   * Locks lanes in the order of their ids. All writers lock in this order, so they cannot deadlock.
   */
  lockLanes(ids: readonly string[]): Op<Lane[]>;
  /** The same without waiting; leaves out lanes that others have locked. */
  lockFreeLanes(ids: readonly string[]): Op<Lane[]>;
  /** Locks those lanes that have a current run, and returns both the lanes and the runs. */
  lockBegun(ids: readonly string[]): Op<LaneWithRun[]>;
  /**
   * Ends attempts that simply succeeded, faster than the lane machine can. Optional: not every
   * database has a faster way. Returns the lanes it has handled; the others are left to the lane
   * machine.
   */
  finish?(writes: readonly AttemptWrite[], now: number): Op<ReadonlySet<string>>;
  insertRuns(runs: readonly NewRun[]): Op<void>;
  /** Stores changed lanes and runs, the events, and the counts. */
  save(changes: readonly LaneChange[]): Op<void>;
  /** Stores whole rows of existing sessions, whose lanes are locked. */
  saveSessions(sessions: readonly StoredSession[]): Op<void>;
  addCounts(deltas: CountDeltas): Op<void>;
  /** Keeps all nodes from claiming until the end of the transaction. */
  lockClaims(): Op<void>;
  /** Locks a node's row against its own claims until the end of the transaction. */
  lockNode(id: string): Op<void>;
  /**
   * If `upkeep` is set and upkeep is due, returns that upkeep. Otherwise chooses lanes and gives
   * them to the node, writing the same event and counts as the machine's `take`. If `now` is null,
   * the store's time is used.
   */
  claimLanes(request: ClaimRequest, now: number | null, upkeep: boolean): Op<ClaimResult>;
}

/** The result of an operation: its value, and the hint to send after the commit. */
export interface Done<T> {
  readonly value: T;
  readonly hint: Hint;
  /** Set if nothing changed, in which case nothing is written to the audit log. */
  readonly changed?: false;
  /** The user, for an audit log line whose user was not known beforehand. */
  readonly who?: string;
  /** Thrown after the commit, because what was written must be kept. */
  readonly refused?: ErrorCode;
}

/** The value of a committed operation; throws if it was refused. */
export function committedValue<T>({ value, refused }: Done<T>): T {
  if (refused !== undefined) throw new BatonError(refused);
  return value;
}

export const NO_HINT: Hint = { lanes: [], nodes: [], topics: [] };

export const hintOf = (...topics: readonly Topic[]): Hint => ({ ...NO_HINT, topics });

export const isEmptyHint = ({ lanes, nodes, topics }: Hint): boolean =>
  lanes.length === 0 && nodes.length === 0 && topics.length === 0;

export function done<T>(value: T, changes: Iterable<LaneChange>): Done<T> {
  const nodes = new Set<string>();
  const lanes: string[] = [];
  let ready = false;
  for (const change of changes) {
    ready ||= change.ready;
    for (const node of change.nodes) nodes.add(node);
    if (change.events.length > 0) lanes.push(change.lane.id);
  }
  return { value, hint: { ...(ready ? hintOf(READY) : NO_HINT), nodes: [...nodes], lanes } };
}

/** Merges the hints from several parts of a transaction into one. */
export function mergeHints(...hints: readonly Hint[]): Hint {
  return {
    lanes: [...new Set(hints.flatMap(({ lanes }) => lanes))],
    nodes: [...new Set(hints.flatMap(({ nodes }) => nodes))],
    topics: [...new Set(hints.flatMap(({ topics }) => topics))],
  };
}

/**
 * Thrown to run the whole operation again, because a row no longer existed by the time it was to be
 * locked.
 */
export class Again extends Error {
  override readonly name = 'Again';
}
