import type { ErrorClass } from '../../../contract/outcome.ts';
import { isTerminal, type RunState } from '../../../contract/run.ts';
import type { Caps } from '../../store.ts';

/*
 * The expected behaviour of the queue, implemented a second time as simply as possible and without
 * the lane machine: plain arrays and objects that can be copied, so a refused call just discards
 * its copy.
 */

export interface ModelRun {
  id: string;
  lane: string;
  type: string;
  state: RunState;
  payload: number;
  attempts: number;
  maxAttempts: number;
  crashes: number;
  retryOf: string | null;
  key: string | null;
  hash: string | null;
  runAt: number | null;
  nextRunAt: number | null;
  finishedAt: number | null;
  error: ErrorClass | null;
  committed: ModelOutcome | null;
}

export interface ModelLane {
  id: string;
  owner: string;
  host: string | null;
  holdOnFailure: boolean;
  kept: boolean;
  held: boolean;
  /** The queued runs, in the order they start. */
  queue: string[];
  begun: string | null;
  node: string | null;
  fence: number;
  cancel: 'stop' | 'interrupt' | null;
  answeredAt: number | null;
  lastSeq: number;
}

export interface ModelNode {
  id: string;
  host: string;
  capacity: number;
  leaseUntil: number;
}

export type ModelOutcome =
  | 'succeeded'
  | 'fails'
  | 'fails permanently'
  | 'cancelled'
  | 'handed_back'
  | 'parked'
  | 'left_waiting';

export const CAPS: Caps = { types: { a: 2 }, perOwner: 3 };
export const RETRY_MS = 700;
export const PARK_MS = 2000;
const MAX_CRASHES = 3;

export class World {
  now = Date.UTC(2026, 0, 1);
  runs: ModelRun[] = [];
  lanes: ModelLane[] = [];
  nodes: ModelNode[] = [];
  /** Every claim ever made, including those whose fence is outdated. */
  claims: { lane: string; fence: number }[] = [];
  ids = 0;
  stopped = false;

  copy(): World {
    return Object.assign(new World(), structuredClone({ ...this }));
  }

  run(id: string): ModelRun {
    return this.runs.find((run) => run.id === id) as ModelRun;
  }

  lane(id: string): ModelLane | undefined {
    return this.lanes.find((lane) => lane.id === id);
  }

  openLane(id: string, owner: string): ModelLane {
    const known = this.lane(id);
    if (known !== undefined) return known;
    const fresh = { held: false, holdOnFailure: false, kept: false, lastSeq: 0 };
    const idle = { begun: null, node: null, fence: 0, cancel: null, answeredAt: null };
    const lane: ModelLane = { id, owner, host: null, queue: [], ...fresh, ...idle };
    this.lanes.push(lane);
    return lane;
  }

  isAlive(id: string | null): boolean {
    return this.nodes.some((node) => node.id === id && node.leaseUntil > this.now);
  }

  /** Executing runs with their lanes. */
  executing(): { run: ModelRun; lane: ModelLane }[] {
    return this.lanes.flatMap((lane) => {
      const run = lane.begun === null ? undefined : this.run(lane.begun);
      return run !== undefined && ['dequeued', 'running'].includes(run.state)
        ? [{ run, lane }]
        : [];
    });
  }

  hasRoom(type: string, owner: string): boolean {
    const all = this.executing();
    const cap = CAPS.types[type] ?? Number.POSITIVE_INFINITY;
    const perOwner = CAPS.perOwner ?? Number.POSITIVE_INFINITY;
    return (
      all.filter(({ run }) => run.type === type).length < cap &&
      all.filter(({ lane }) => lane.owner === owner).length < perOwner
    );
  }

  freeOn(node: ModelNode): number {
    return node.capacity - this.executing().filter(({ lane }) => lane.node === node.id).length;
  }

  /** The run that the lane can start now, if any. */
  head(lane: ModelLane): ModelRun | null {
    if (this.stopped || lane.held || lane.node !== null) return null;
    const id = lane.begun ?? lane.queue[0];
    if (id === undefined) return null;
    const run = this.run(id);
    if (run.state === 'waiting') return null;
    return run.nextRunAt !== null && run.nextRunAt > this.now ? null : run;
  }

  /** The first part of every claim: due runs join, answered runs get their slots back. */
  upkeep(): void {
    const due = this.runs.filter(
      (run) =>
        run.state === 'queued' && run.runAt !== null && run.runAt <= this.now && !this.joined(run),
    );
    due.sort((a, b) => (a.runAt ?? 0) - (b.runAt ?? 0) || (a.id < b.id ? -1 : 1));
    for (const run of due) this.lane(run.lane)?.queue.push(run.id);
    if (this.stopped) return;
    const answered = this.lanes.filter((lane) => lane.answeredAt !== null);
    answered.sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));
    for (const lane of answered) {
      const run = this.run(lane.begun ?? '');
      const node = this.nodes.find(({ id }) => id === lane.node);
      if (node === undefined || !this.isAlive(node.id)) continue;
      if (this.freeOn(node) <= 0 || !this.hasRoom(run.type, lane.owner)) continue;
      run.state = 'running';
      lane.answeredAt = null;
    }
  }

  /** Whether a run has joined its lane: it is in the queue, or it has begun. */
  joined(run: ModelRun): boolean {
    const lane = this.lane(run.lane);
    return lane?.begun === run.id || lane?.queue.includes(run.id) === true;
  }

  end(lane: ModelLane, outcome: ModelOutcome, retryMs = RETRY_MS): void {
    const run = this.run(lane.begun ?? '');
    const cancelled = lane.cancel !== null && outcome !== 'succeeded';
    if (cancelled || outcome === 'cancelled') this.finish(run, 'cancelled');
    else if (outcome === 'succeeded') this.finish(run, 'succeeded');
    else if (outcome === 'fails permanently') this.finish(run, 'failed', 'invalid_request');
    else if (outcome === 'fails' && run.attempts >= run.maxAttempts)
      this.finish(run, 'dead', 'timeout');
    else if (outcome === 'fails') this.delay(lane, run, this.now + retryMs, 'timeout');
    else {
      // The other outcomes do not count as an attempt.
      run.attempts--;
      if (outcome === 'parked') this.delay(lane, run, this.now + PARK_MS, 'usage_limit');
      else if (outcome === 'left_waiting' || run.state === 'waiting') this.leaveWaiting(lane, run);
      else this.requeue(lane, run);
    }
  }

  crash(lane: ModelLane): void {
    const run = this.run(lane.begun ?? '');
    if (run.committed !== null) {
      this.end(lane, run.committed, 0);
    } else if (lane.cancel !== null) {
      this.finish(run, 'cancelled');
    } else if (run.state === 'waiting') {
      run.attempts--;
      this.leaveWaiting(lane, run);
    } else {
      run.crashes++;
      run.attempts--;
      if (run.crashes >= MAX_CRASHES) this.finish(run, 'dead', 'poisoned');
      else this.requeue(lane, run);
    }
  }

  /** Asks a run to stop, or ends it if no worker executes it. */
  cancel(run: ModelRun, kind: 'stop' | 'interrupt'): void {
    const lane = this.lane(run.lane) as ModelLane;
    if (lane.begun === run.id) {
      lane.cancel = kind;
      if (lane.node !== null) return;
    }
    this.finish(run, 'cancelled');
  }

  finish(run: ModelRun, state: RunState, error: ErrorClass | null = null): void {
    const lane = this.lane(run.lane) as ModelLane;
    run.state = state;
    run.error = error ?? (state === 'cancelled' ? 'user_cancelled' : null);
    run.nextRunAt = null;
    run.committed = null;
    run.finishedAt = this.now;
    lane.queue = lane.queue.filter((id) => id !== run.id);
    if (lane.begun !== run.id) return;
    const stopped = state === 'cancelled' && lane.cancel === 'stop';
    lane.begun = null;
    this.releaseHolder(lane);
    lane.cancel = null;
    const bad = stopped || state === 'failed' || state === 'dead';
    if (bad && lane.holdOnFailure && lane.queue.length > 0) lane.held = true;
  }

  private delay(lane: ModelLane, run: ModelRun, until: number, error: ErrorClass): void {
    run.state = 'retry_scheduled';
    run.nextRunAt = until;
    run.error = error;
    run.committed = null;
    this.releaseHolder(lane);
  }

  private requeue(lane: ModelLane, run: ModelRun): void {
    run.state = 'queued';
    run.committed = null;
    this.releaseHolder(lane);
  }

  private leaveWaiting(lane: ModelLane, run: ModelRun): void {
    if (lane.answeredAt !== null) {
      this.requeue(lane, run);
    } else {
      run.state = 'waiting';
      run.committed = null;
      this.releaseHolder(lane);
    }
  }

  private releaseHolder(lane: ModelLane): void {
    lane.node = null;
    lane.fence = 0;
    lane.answeredAt = null;
  }

  /** Removes finished runs, and lanes without runs unless they are kept or held. */
  purge(before: number): { runs: number; lanes: string[] } {
    const kept = (run: ModelRun): boolean => this.lane(run.lane)?.kept === true;
    const old = this.runs.filter(
      (r) => isTerminal(r.state) && (r.finishedAt ?? 0) < before && !kept(r),
    );
    this.runs = this.runs.filter((run) => !old.includes(run));
    const empty = this.lanes.filter(
      (lane) =>
        !lane.kept &&
        !lane.held &&
        old.some((run) => run.lane === lane.id) &&
        !this.runs.some((run) => run.lane === lane.id),
    );
    this.lanes = this.lanes.filter((lane) => !empty.includes(lane));
    return { runs: old.length, lanes: empty.map(({ id }) => id) };
  }
}
