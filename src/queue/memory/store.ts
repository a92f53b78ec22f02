import { BatonError } from '../../contract/errors.ts';
import type { LogEvent } from '../../contract/event.ts';
import type { Lane } from '../../contract/lane.ts';
import type { NodeInfo, NodeRecord } from '../../contract/node.ts';
import type { Run } from '../../contract/run.ts';
import type { Schedule } from '../../contract/schedule.ts';
import type { Hint } from '../hint.ts';
import { keepInProcess } from '../membership/lease-renewal.ts';
import type {
  Admission,
  AttemptWrite,
  ClaimedRun,
  ClaimRequest,
  Clock,
  Command,
  Counts,
  DueSchedules,
  Firing,
  KeepLease,
  LeaseKeeper,
  LogCursor,
  Poll,
  Receipt,
  RunFilter,
  ScheduleStore,
  ScheduleWrite,
  StopRecord,
  StopStore,
  Store,
  TakenOverRun,
} from '../store.ts';
import { enqueue } from './admit.ts';
import { claim } from './claim.ts';
import { execute } from './commands.ts';
import { bury, copyNode, join, poll, renew, takeOver } from './nodes.ts';
import { type PurgeRequest, purge } from './purge.ts';
import {
  lastSeqs,
  list,
  listAfter,
  listAfterEach,
  listQueued,
  strandedHosts,
  unhandledTypes,
} from './reads.ts';
import { toRun } from './records.ts';
import {
  dueSchedules,
  fireSchedule,
  listSchedules,
  putSchedule,
  removeSchedule,
  toSchedule,
} from './schedules.ts';
import { setStop } from './stop.ts';
import { Tables } from './tables.ts';
import { write } from './write.ts';

/**
 * A store for programs that embed the queue and need no persistence. Each method runs without
 * awaiting anything, so it is atomic.
 */
export function memoryStore(options: { clock?: Clock } = {}): Store {
  return new MemoryStore(new Tables(options.clock ?? Date.now));
}

class MemoryStore implements Store {
  readonly #tables: Tables;
  readonly #keepers = new Set<LeaseKeeper>();
  #closed = false;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  get #open(): Tables {
    if (this.#closed) throw new BatonError('closed');
    return this.#tables;
  }

  async enqueue(admissions: readonly Admission[]): Promise<Receipt[]> {
    return enqueue(this.#open, admissions);
  }

  async claim(request: ClaimRequest): Promise<ClaimedRun[]> {
    return claim(this.#open, request);
  }

  async write(writes: readonly AttemptWrite[]): Promise<boolean[]> {
    return write(this.#open, writes);
  }

  async change(command: Command): Promise<Run | null> {
    return execute(this.#open, command);
  }

  async get(id: string): Promise<Run | null> {
    const record = this.#open.runs.get(id);
    return record === undefined ? null : toRun(record);
  }

  async getLane(id: string): Promise<Lane | null> {
    const lane = this.#open.lanes.get(id);
    return lane === undefined ? null : { ...lane.row };
  }

  async list(filter: RunFilter): Promise<Run[]> {
    return list(this.#open, filter);
  }

  async listQueued(lane: string, limit: number, after?: string): Promise<Run[]> {
    return listQueued(this.#open, lane, limit, after);
  }

  async counts(): Promise<Counts> {
    return { ...this.#open.counts };
  }

  async purge(request: PurgeRequest): Promise<{ runs: number; lanes: number }> {
    return purge(this.#open, request);
  }

  async unhandledTypes(): Promise<string[]> {
    return unhandledTypes(this.#open);
  }

  async strandedHosts(): Promise<string[]> {
    return strandedHosts(this.#open);
  }

  async listAfter(lane: string, after: number, limit: number, runId?: string): Promise<LogEvent[]> {
    return listAfter(this.#open, lane, after, limit, runId);
  }

  async listAfterEach(cursors: readonly LogCursor[]): Promise<LogEvent[]> {
    return listAfterEach(this.#open, cursors);
  }

  async lastSeqs(lanes: readonly string[]): Promise<Map<string, number>> {
    return lastSeqs(this.#open, lanes);
  }

  async join(node: NodeInfo, leaseMs: number): Promise<void> {
    join(this.#open, node, leaseMs);
  }

  async renew(nodeId: string, leaseMs: number): Promise<boolean> {
    return renew(this.#open, nodeId, leaseMs);
  }

  async leave(nodeId: string): Promise<void> {
    bury(this.#open, nodeId, this.#open.clock());
  }

  async poll(nodeId: string): Promise<Poll> {
    return poll(this.#open, nodeId);
  }

  async takeOver(provenDead: readonly string[]): Promise<TakenOverRun[]> {
    return takeOver(this.#open, provenDead);
  }

  async listNodes(): Promise<NodeRecord[]> {
    return [...this.#open.nodes.values()].map(copyNode);
  }

  async putSchedule(schedule: ScheduleWrite, expected: string | null): Promise<Schedule | null> {
    return putSchedule(this.#open, schedule, expected);
  }

  async getSchedule(id: string): Promise<Schedule | null> {
    const record = this.#open.schedules.get(id);
    return record === undefined ? null : toSchedule(record);
  }

  async listSchedules(filter: Parameters<ScheduleStore['listSchedules']>[0]): Promise<Schedule[]> {
    return listSchedules(this.#open, filter);
  }

  async removeSchedule(id: string): Promise<boolean> {
    return removeSchedule(this.#open, id);
  }

  async dueSchedules(page: Parameters<ScheduleStore['dueSchedules']>[0]): Promise<DueSchedules> {
    return dueSchedules(this.#open, page);
  }

  async fireSchedule(firing: Firing): Promise<boolean> {
    return fireSchedule(this.#open, firing);
  }

  async getStop(): Promise<StopRecord | null> {
    return this.#open.stop;
  }

  async setStop(stop: Parameters<StopStore['setStop']>[0]): Promise<StopRecord | null> {
    return setStop(this.#open, stop);
  }

  async time(): Promise<number> {
    return this.#open.clock();
  }

  /**
   * The main thread renews the lease. All nodes of this store run on that thread, so while it is
   * blocked, no node can take over.
   */
  keepLease(nodeId: string, options: KeepLease): LeaseKeeper {
    const keeper = keepInProcess(options, () => renew(this.#open, nodeId, options.leaseMs));
    const kept: LeaseKeeper = {
      remainingMs: () => keeper.remainingMs(),
      lost: () => keeper.lost(),
      stop: () => {
        this.#keepers.delete(kept);
        return keeper.stop();
      },
    };
    this.#keepers.add(kept);
    return kept;
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#open.hints.add(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#tables.hints.clear();
    await Promise.all([...this.#keepers].map((keeper) => keeper.stop()));
  }
}
