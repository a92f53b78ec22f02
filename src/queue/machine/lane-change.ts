import type { LogEvent, NewEvent } from '../../contract/event.ts';
import type { EventPayloads, EventType, NoOthers } from '../../contract/events/table.ts';
import type { Lane } from '../../contract/lane.ts';
import type { Outcome, RunError } from '../../contract/outcome.ts';
import { isTerminal, type RunState } from '../../contract/run.ts';
import type { Json } from '../../contract/values/json.ts';
import { TouchedRuns } from './touched-runs.ts';
import { canMove } from './transition.ts';

/** The mutable part of a run, with the fields the machine needs to change it. */
export interface RunCore {
  readonly id: string;
  readonly type: string;
  state: RunState;
  attempts: number;
  readonly maxAttempts: number;
  crashes: number;
  /** Position in the lane; null until the run joins. */
  position: number | null;
  runAt: number | null;
  nextRunAt: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  cancelRequestedAt: number | null;
  error: RunError | null;
  result: Json;
  /**
   * The final outcome, if it was stored before the attempt ended; a later crash ends the run with
   * it.
   */
  committed: Outcome | null;
  lastSeq: number | null;
}

/** The run that an event belongs to, if any. */
type EventRun = Pick<RunCore, 'id' | 'attempts'> | null;

/**
 * A pending change to one lane: the row after the change, the changed runs with their previous
 * states, and the events to append. Adapters load a lane under its lock, let the machine
 * (lane-machine.ts) fill this in, and store all of it in one transaction.
 */
export class LaneChange {
  readonly lane: Lane;
  readonly runs = new TouchedRuns();
  readonly events: LogEvent[] = [];
  /** Set when there may be something to claim. */
  ready = false;
  /** Nodes that must check the lanes they hold. */
  readonly nodes: string[] = [];
  readonly now: number;

  constructor(lane: Lane, now: number) {
    this.lane = { ...lane };
    this.now = now;
  }

  log<T extends EventType, P extends EventPayloads[T]>(
    type: T,
    payload: P & NoOthers<P, EventPayloads[T]>,
    run: EventRun,
  ): void {
    this.#add(type, payload as Json, run);
  }

  /** Appends an event that was created elsewhere; one that a handler emitted may have any type. */
  append({ type, payload }: NewEvent, run: EventRun): void {
    this.#add(type, payload, run);
  }

  /** The seq comes from the lane's row, so seqs have no gaps. */
  #add(type: string, payload: Json, run: EventRun): void {
    this.events.push({
      lane: this.lane.id,
      seq: this.lane.nextSeq++,
      runId: run?.id ?? null,
      attempt: run !== null && run.attempts > 0 ? run.attempts : null,
      type,
      payload,
      at: this.now,
    });
  }

  /**
   * False if the write has already been applied and is being retried because the response was lost.
   */
  isNew(write: { readonly no?: number }): boolean {
    if (write.no === undefined) return true;
    if (write.no <= this.lane.lastWrite) return false;
    this.lane.lastWrite = write.no;
    return true;
  }

  /** Records that a run's row changed without a transition. */
  touch(run: RunCore): RunCore {
    if (!this.runs.has(run.id)) this.runs.add(run, run.state);
    return run;
  }

  /** Moves a run to another state, if the table allows it. */
  move(run: RunCore, to: RunState): void {
    if (!canMove(run.state, to)) throw new Error(`a run cannot go from ${run.state} to ${to}`);
    this.touch(run);
    run.state = to;
    if (isTerminal(to)) run.finishedAt = this.now;
  }
}
