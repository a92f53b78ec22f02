import type { Lane } from '../../contract/lane.ts';
import type { NodeRecord } from '../../contract/node.ts';
import { isTerminal } from '../../contract/run.ts';
import type { Turn } from '../machine/claim-plan.ts';
import { LaneChange, type RunCore } from '../machine/lane-change.ts';
import { newLane } from '../machine/new-lane.ts';
import type { Clock, Counts, StopRecord } from '../store.ts';
import { Executing } from './executing.ts';
import { Heap } from './heap.ts';
import { Hints } from './hints.ts';
import { LaneQueue } from './lane-queue.ts';
import { ReadyIndex } from './ready-index.ts';
import type { LaneRecord, RunRecord } from './records.ts';
import type { ScheduleRecord } from './schedules.ts';
import { SortedNames } from './sorted-names.ts';

const byId = (a: RunRecord, b: RunRecord): number => (a.core.id < b.core.id ? -1 : 1);

/**
 * All of the store's data, and the only way to change it: `commit` applies a LaneChange and updates
 * every index. A run is in at most one of `due`, `finished` and its lane's queue; a lane is in at
 * most one of `ready` and `delayed`.
 */
export class Tables {
  readonly clock: Clock;
  readonly runs = new Map<string, RunRecord>();
  readonly runIds = new SortedNames();
  readonly lanes = new Map<string, LaneRecord>();
  readonly keys = new Map<string, RunRecord>();
  readonly nodes = new Map<string, NodeRecord>();
  readonly schedules = new Map<string, ScheduleRecord>();
  readonly ready = new ReadyIndex();
  readonly executing = new Executing();
  readonly hints = new Hints();
  /** Runs that are waiting outside their lane until they are due. */
  readonly due = new Heap<RunRecord>(
    (a, b) => (a.core.runAt as number) - (b.core.runAt as number) || byId(a, b),
  );
  /** Lanes whose run is waiting for its next attempt. */
  readonly delayed = new Heap<LaneRecord>((a, b) => a.row.readyAt - b.row.readyAt);
  /** Runs that a purge may remove; excludes those of kept lanes. */
  readonly finished = new Heap<RunRecord>(
    (a, b) => (a.core.finishedAt as number) - (b.core.finishedAt as number),
  );
  /** The lanes that each node holds, including those that are asking. */
  readonly holds = new Map<string, Set<LaneRecord>>();
  /** Lanes whose run has been answered and is waiting for a slot, in the order of the answers. */
  readonly answered = new Set<LaneRecord>();
  /** Lanes without runs that no purge has removed yet. */
  readonly empty = new Set<LaneRecord>();
  readonly cursors = new Map<string, string>();
  /** Slots left for a host, by type and host. */
  readonly turns = new Map<string, Turn>();
  readonly counts: Counts = {
    queued: 0,
    dequeued: 0,
    running: 0,
    waiting: 0,
    retry_scheduled: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    dead: 0,
  };
  lastFence = 0;
  stop: StopRecord | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Creates the lane if it does not exist. */
  openLane(id: string, owner: string): LaneRecord {
    let lane = this.lanes.get(id);
    if (lane === undefined) {
      lane = {
        slot: -1,
        row: newLane(id, owner),
        begun: null,
        queue: null,
        runs: [],
        log: [],
        emptySince: null,
      };
      this.lanes.set(id, lane);
    }
    return lane;
  }

  change(lane: LaneRecord, now: number): LaneChange {
    return new LaneChange(lane.row, now);
  }

  /**
   * Applies a change to a lane. `known` is the record of the run concerned, which may be new.
   * Passing it avoids a lookup in the map of all runs, which is too large for the CPU's caches.
   */
  commit(lane: LaneRecord, change: LaneChange, known: RunRecord | null): void {
    const touched = change.runs.values();
    const recordOf = (id: string): RunRecord =>
      known?.core.id === id ? known : (this.runs.get(id) as RunRecord);
    // All runs leave their indexes before any enters a new one, because two may swap positions.
    for (const { run, from } of touched) {
      if (from === null) this.#insert(recordOf(run.id));
      else this.#unindex(recordOf(run.id));
    }
    for (const { run, from } of touched) {
      const record = recordOf(run.id);
      if (from !== null) this.counts[from]--;
      this.counts[run.state]++;
      record.core = run;
      record.updatedAt = change.now;
      this.#index(record, change.lane);
    }
    const { runId } = change.lane;
    if (runId === null) {
      lane.begun = null;
      change.lane.headType = lane.queue?.at(0)?.core.type ?? null;
    } else if (lane.row.runId !== runId) {
      lane.begun = recordOf(runId);
    }
    this.#reindex(lane, lane.row, change.lane);
    for (const event of change.events) lane.log.push(event);
    this.hints.note(change);
  }

  #insert(record: RunRecord): void {
    this.runs.set(record.core.id, record);
    this.runIds.add(record.core.id);
    if (record.key !== null) this.keys.set(record.key, record);
    const { lane } = record;
    // As in LaneQueue, an array created with one item does not reserve room for sixteen more.
    if (lane.runs.length === 0) lane.runs = [record];
    else lane.runs.push(record);
    lane.emptySince = null;
  }

  /** Removes a run; the caller cleans up its lane's list and log. */
  drop(record: RunRecord): void {
    this.#unindex(record);
    this.counts[record.core.state]--;
    this.runs.delete(record.core.id);
    this.runIds.delete(record.core.id);
    if (record.key !== null) this.keys.delete(record.key);
  }

  /** Adds a run to the index for its state and position. */
  #index(record: RunRecord, lane: Lane): void {
    const { core } = record;
    if (isTerminal(core.state)) {
      if (!lane.kept) this.finished.add(record);
    } else if (core.state === 'queued' && lane.runId !== core.id) {
      if (core.position === null) {
        this.due.add(record);
      } else {
        record.lane.queue ??= new LaneQueue();
        record.lane.queue.add(record);
      }
    }
  }

  #unindex(record: RunRecord): void {
    const { core, lane } = record;
    if (isTerminal(core.state)) {
      if (record.slot >= 0) this.finished.remove(record);
    } else if (core.state === 'queued' && lane.row.runId !== core.id) {
      if (core.position === null) this.due.remove(record);
      else lane.queue?.remove(record);
    }
  }

  #reindex(lane: LaneRecord, before: Lane, after: Lane): void {
    if (sameIndexes(before, after)) {
      lane.row = after;
      return;
    }
    if (isClaimable(before)) this.ready.remove(lane);
    else if (before.state === 'delayed') this.delayed.remove(lane);
    else if (before.state === 'running') this.executing.count(before, -1);
    else if (isAnswered(before)) this.answered.delete(lane);
    lane.row = after;
    if (isClaimable(after)) this.ready.add(lane);
    else if (after.state === 'delayed') this.delayed.add(lane);
    else if (after.state === 'running') this.executing.count(after, 1);
    else if (isAnswered(after)) this.answered.add(lane);
    if (before.nodeId === after.nodeId) return;
    if (before.nodeId !== null) this.#release(before.nodeId, lane);
    if (after.nodeId !== null) this.#hold(after.nodeId, lane);
  }

  #hold(nodeId: string, lane: LaneRecord): void {
    const lanes = this.holds.get(nodeId);
    if (lanes === undefined) this.holds.set(nodeId, new Set([lane]));
    else lanes.add(lane);
  }

  #release(nodeId: string, lane: LaneRecord): void {
    const lanes = this.holds.get(nodeId);
    lanes?.delete(lane);
    if (lanes?.size === 0) this.holds.delete(nodeId);
  }
}

/** A copy of a run for the machine to change, or the copy already in this change. */
export const coreIn = (change: LaneChange, record: RunRecord): RunCore =>
  change.runs.get(record.core.id)?.run ?? { ...record.core };

const isClaimable = (lane: Lane): boolean => lane.state === 'ready' && !lane.held;

const isAnswered = (lane: Lane): boolean => lane.state === 'asking' && lane.answeredAt !== null;

/** Whether the lane stays where it is in every index. */
const sameIndexes = (a: Lane, b: Lane): boolean =>
  a.state === b.state &&
  a.held === b.held &&
  a.headType === b.headType &&
  a.host === b.host &&
  a.owner === b.owner &&
  a.readyAt === b.readyAt &&
  a.nodeId === b.nodeId &&
  a.answeredAt === b.answeredAt;
