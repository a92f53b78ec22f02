import { BatonError } from '../../contract/errors.ts';
import type { NewEvent } from '../../contract/event.ts';
import type { EventPayloads } from '../../contract/events/table.ts';
import type { CancelKind } from '../../contract/lane.ts';
import type { Outcome, RunError } from '../../contract/outcome.ts';
import { isTerminal } from '../../contract/run.ts';
import type { Tick } from '../../contract/schedule.ts';
import { MAX_CRASHES, verdictOf } from '../../policy/retry.ts';
import type { LaneChange, RunCore } from './lane-change.ts';

/*
 * Everything that can happen to a lane and its runs, as functions over one LaneChange. The
 * functions use no clock, database or randomness. All three stores share these functions, so each
 * rule exists only once.
 *
 * A lane's `state`: idle (nothing to start), delayed (its run waits for `readyAt`), ready (may be
 * claimed unless `held`), running (a worker executes its run), asking (its run waits for an answer
 * and occupies no slot).
 */

export interface Holder {
  readonly nodeId: string;
  readonly host: string;
  readonly fence: number;
}

/** How an attempt ended and, for a retry, the random delay that the worker chose. */
export interface Ending {
  readonly outcome: Outcome;
  readonly retryDelayMs: number;
  /** How long a parked run waits, measured by the worker's clock. */
  readonly parkMs?: number;
}

/** Payloads that most runs log, shared by all of them because logged payloads are immutable. */
const STARTED = Object.freeze({} satisfies EventPayloads['run.start']);
const SUCCEEDED = Object.freeze({
  state: 'succeeded',
  error: null,
} satisfies EventPayloads['run.finished']);
const DONE = Object.freeze({ state: 'succeeded' } satisfies EventPayloads['done']);

/** A new run joins the lane at its position, or waits outside until it is due (Q3). */
export function admit(change: LaneChange, run: RunCore, tick?: Tick): void {
  change.runs.add(run, null);
  const { lane } = change;
  if (run.position === null) {
    change.log('run.queued', { type: run.type, runAt: run.runAt ?? change.now }, run);
    return;
  }
  change.log('run.queued', { type: run.type, ...(tick === undefined ? {} : { tick }) }, run);
  lane.queued++;
  wake(change);
}

/** A run that has become due joins its lane. */
export function joinWhenDue(change: LaneChange, run: RunCore, position: number): void {
  change.touch(run).position = position;
  change.log('run.queued', { type: run.type, change: 'due' }, run);
  change.lane.queued++;
  wake(change);
}

/** A worker takes the lane and its next run (Q1, Q6). */
export function take(change: LaneChange, run: RunCore, holder: Holder): void {
  const { lane } = change;
  if (lane.state !== 'ready' || lane.held) throw new Error('the lane is not ready');
  change.move(run, 'dequeued');
  if (lane.runId === null) {
    lane.queued--;
    lane.lastPosition = run.position ?? lane.lastPosition;
  } else if (lane.runId !== run.id) {
    throw new Error('the lane has already begun another run');
  }
  lane.runId = run.id;
  lane.headType = run.type;
  lane.state = 'running';
  lane.nodeId = holder.nodeId;
  lane.fence = holder.fence;
  lane.lastWrite = 0;
  if (lane.pin && lane.host === null) lane.host = holder.host;
  run.attempts++;
  run.nextRunAt = null;
  change.log('run.dequeued', { node: holder.nodeId }, run);
}

/** The handler begins. */
export function start(change: LaneChange, run: RunCore): void {
  // A waiting run continues only through an answer.
  if (run.state !== 'dequeued') throw new Error(`a ${run.state} run cannot start`);
  change.move(run, 'running');
  run.startedAt ??= change.now;
  change.log('run.start', STARTED, run);
}

export function append(change: LaneChange, run: RunCore, events: readonly NewEvent[]): void {
  for (const event of events) change.append(event, run);
}

/** Stores the final outcome before the attempt cleans up (Q10). */
export function commitOutcome(change: LaneChange, run: RunCore, outcome: Outcome): void {
  // A run that has not started cannot have a result; if one were stored, a crash would end the run
  // with it.
  if (run.state !== 'running' && run.state !== 'waiting')
    throw new Error(`a ${run.state} run cannot commit an outcome`);
  change.touch(run).committed = outcome;
}

/** The run asks a question: its process stays alive, but its slot becomes free. */
export function ask(change: LaneChange, run: RunCore): void {
  change.move(run, 'waiting');
  change.lane.state = 'asking';
  change.lane.answeredAt = null;
  change.ready = true;
  change.log('run.waiting', { parked: false }, run);
}

/**
 * The question is answered. If the process is alive, the run waits for a slot; otherwise it is
 * requeued.
 */
export function answer(change: LaneChange, run: RunCore): void {
  const { lane } = change;
  if (run.state !== 'waiting') throw new BatonError('run_not_waiting');
  if (lane.nodeId === null) {
    change.move(run, 'queued');
    requeue(change, run);
    change.log('run.queued', { type: run.type }, run);
  } else {
    lane.answeredAt ??= change.now;
    change.ready = true;
  }
}

/** An answered run gets a slot back; called by the claim before it takes new runs. */
export function retake(change: LaneChange, run: RunCore): void {
  const { lane } = change;
  change.move(run, 'running');
  lane.state = 'running';
  lane.answeredAt = null;
  if (lane.nodeId !== null) change.nodes.push(lane.nodeId);
  change.log('run.start', { resumed: true }, run);
}

/** The attempt has ended; its outcome and any requested cancel decide what the run does next. */
export function end(change: LaneChange, run: RunCore, ending: Ending): void {
  const { outcome } = ending;
  // A run that succeeded counts as succeeded even if a cancel was requested before it ended; any
  // other outcome becomes a cancellation, without a retry, parking or hand-back.
  if (change.lane.cancel !== null && outcome.kind !== 'succeeded') {
    finish(change, run, 'cancelled', null);
    return;
  }
  switch (outcome.kind) {
    case 'succeeded':
      run.result = outcome.result;
      finish(change, run, 'succeeded', null);
      break;
    case 'cancelled':
      finish(change, run, 'cancelled', null);
      break;
    case 'failed':
      fail(change, run, outcome.error, ending.retryDelayMs);
      break;
    case 'parked':
      delay(change, run, outcome.error, parkedUntil(change, outcome.until, ending), 'run.parked');
      run.attempts--;
      break;
    case 'handed_back':
      handBack(change, run, outcome.reason);
      break;
    case 'left_waiting':
      leaveWaiting(change, run);
      break;
  }
}

/**
 * If the store's clock is ahead, it would start the run immediately, and the run would hit its
 * limit again and again. Differences of less than a second are due to the write's latency.
 */
function parkedUntil({ now }: LaneChange, until: number, { parkMs = 0 }: Ending): number {
  const waited = now + parkMs;
  return Math.max(now, waited - until > 1000 ? waited : until);
}

function fail(change: LaneChange, run: RunCore, error: RunError, retryDelayMs: number): void {
  if (verdictOf(error.class) !== 'retry') finish(change, run, 'failed', error);
  else if (run.attempts >= run.maxAttempts) finish(change, run, 'dead', error);
  else delay(change, run, error, change.now + retryDelayMs, 'run.retry_scheduled');
}

function handBack(change: LaneChange, run: RunCore, reason: string): void {
  if (run.state === 'waiting') {
    // The question stays open, whichever node continues the run.
    leaveWaiting(change, run);
    return;
  }
  change.log('run.handed_back', { reason }, run);
  run.attempts--;
  change.move(run, 'queued');
  requeue(change, run);
}

/** A run's node is gone (Q7). What the run was doing decides how it continues. */
export function crash(change: LaneChange, run: RunCore): void {
  if (run.committed !== null) end(change, run, { outcome: run.committed, retryDelayMs: 0 });
  else if (change.lane.cancel !== null) finish(change, run, 'cancelled', null);
  else if (run.state === 'waiting') leaveWaiting(change, run);
  else cutOff(change, run);
}

function cutOff(change: LaneChange, run: RunCore): void {
  run.crashes++;
  if (run.crashes >= MAX_CRASHES) {
    const message = `This run was interrupted ${run.crashes} times because the node executing it died.`;
    finish(change, run, 'dead', { class: 'poisoned', message });
    run.attempts--;
    return;
  }
  change.log('run.restarted', { crashes: run.crashes }, run);
  run.attempts--;
  change.move(run, 'queued');
  requeue(change, run);
}

/** If a worker holds the run, asks that worker to stop; otherwise ends the run (Q9). */
export function cancel(change: LaneChange, run: RunCore, kind: CancelKind): void {
  const { lane } = change;
  if (isTerminal(run.state))
    throw new BatonError('run_finished', `The run has already ended: ${run.state}.`, {
      details: { state: run.state },
    });
  run.cancelRequestedAt ??= change.now;
  change.touch(run);
  if (lane.runId !== run.id) {
    leaveQueue(change, run);
    close(change, run, 'cancelled', null);
    return;
  }
  lane.cancel = kind;
  if (lane.nodeId === null) finish(change, run, 'cancelled', null);
  else change.nodes.push(lane.nodeId);
}

/** Removes a run that has not begun from its lane; the caller deletes its row. */
export function remove(change: LaneChange, run: RunCore): void {
  mustBeQueued(change, run);
  leaveQueue(change, run);
  close(change, run, 'cancelled', null);
}

export function edited(change: LaneChange, run: RunCore): void {
  mustBeQueued(change, run);
  change.log('run.queued', { type: run.type, change: 'edited' }, change.touch(run));
}

export function moved(change: LaneChange, run: RunCore, position: number): void {
  mustBeMovable(change, run);
  change.touch(run).position = position;
  change.log('run.queued', { type: run.type, change: 'moved' }, run);
}

export function hold(change: LaneChange, reason: 'asked' | 'failed' | 'stopped'): void {
  if (change.lane.held) return;
  change.lane.held = true;
  change.log('session.held', { reason }, null);
}

export function resume(change: LaneChange): void {
  if (!change.lane.held) return;
  change.lane.held = false;
  change.log('session.resumed', {}, null);
  if (change.lane.state === 'ready') change.ready = true;
}

/** A delayed lane's wait is over. */
export function wakeDelayed(change: LaneChange): void {
  change.lane.state = 'ready';
  change.ready = true;
}

export const hasBegun = (change: LaneChange, run: RunCore): boolean => change.lane.runId === run.id;

/** Only a run with a position can be moved. */
export function mustBeMovable(change: LaneChange, run: RunCore): void {
  mustBeQueued(change, run);
  if (run.position === null) {
    throw new BatonError(
      'run_not_queued',
      'The run is scheduled for later. It has no position in its lane until it is due.',
    );
  }
}

function mustBeQueued(change: LaneChange, run: RunCore): void {
  if (run.state !== 'queued' || hasBegun(change, run)) {
    throw new BatonError('run_not_queued', undefined, { details: { state: run.state } });
  }
}

function wake(change: LaneChange): void {
  const { lane } = change;
  if (lane.state !== 'idle') return;
  lane.state = 'ready';
  lane.readyAt = change.now;
  change.ready = true;
}

/**
 * Frees the run's position: another run may take it, and no two runs of a lane may share a
 * position.
 */
function leaveQueue(change: LaneChange, run: RunCore): void {
  const { lane } = change;
  if (run.position === null) return;
  run.position = null;
  lane.queued--;
  if (lane.queued === 0 && lane.runId === null) lane.state = 'idle';
}

function finish(
  change: LaneChange,
  run: RunCore,
  state: 'succeeded' | 'failed' | 'dead' | 'cancelled',
  error: RunError | null,
): void {
  const { lane } = change;
  const stopped = state === 'cancelled' && lane.cancel === 'stop';
  const failed = state === 'failed' || state === 'dead';
  lane.runId = null;
  releaseHolder(change);
  lane.cancel = null;
  lane.answeredAt = null;
  lane.state = lane.queued > 0 ? 'ready' : 'idle';
  lane.readyAt = change.now;
  change.ready = true;
  close(change, run, state, error);
  if ((failed || stopped) && lane.holdOnFailure && lane.queued > 0)
    hold(change, stopped ? 'stopped' : 'failed');
}

function close(
  change: LaneChange,
  run: RunCore,
  state: 'succeeded' | 'failed' | 'dead' | 'cancelled',
  error: RunError | null,
): void {
  change.move(run, state);
  run.error =
    error ?? (state === 'cancelled' ? { class: 'user_cancelled', message: 'Cancelled.' } : null);
  run.nextRunAt = null;
  run.committed = null;
  const succeeded = state === 'succeeded';
  change.log('run.finished', succeeded ? SUCCEEDED : { state, error: run.error }, run);
  run.lastSeq = change.lane.nextSeq;
  change.log('done', succeeded ? DONE : { state }, run);
}

function delay(
  change: LaneChange,
  run: RunCore,
  error: RunError,
  until: number,
  event: 'run.retry_scheduled' | 'run.parked',
): void {
  const { lane } = change;
  change.move(run, 'retry_scheduled');
  run.error = error;
  run.nextRunAt = until;
  run.committed = null;
  releaseHolder(change);
  lane.answeredAt = null;
  lane.state = 'delayed';
  lane.readyAt = until;
  change.ready = true;
  if (event === 'run.parked') change.log(event, { error, until }, run);
  else change.log(event, { error, nextRunAt: until, delayMs: until - change.now }, run);
}

/** The run stays at the head of its lane and may start again immediately. */
function requeue(change: LaneChange, run: RunCore): void {
  const { lane } = change;
  change.touch(run).committed = null;
  releaseHolder(change);
  lane.answeredAt = null;
  lane.state = 'ready';
  lane.readyAt = change.now;
  change.ready = true;
}

/** The process is gone, but the question stays open; an answer that arrived just before applies. */
function leaveWaiting(change: LaneChange, run: RunCore): void {
  const { lane } = change;
  const answered = lane.answeredAt !== null;
  if (run.state !== 'waiting') change.move(run, 'waiting');
  change.touch(run);
  releaseHolder(change);
  lane.state = 'asking';
  change.ready = true;
  if (answered) answer(change, run);
  else change.log('run.waiting', { parked: true }, run);
  run.attempts--;
}

function releaseHolder(change: LaneChange): void {
  change.lane.nodeId = null;
  change.lane.fence = 0;
}
