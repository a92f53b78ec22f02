import type { Outcome } from '../../src/contract/outcome.ts';
import { backoffMs, verdictOf } from '../../src/policy/retry.ts';
import { AbortReason, Conclusion, type Returned } from '../../src/queue/handler-result.ts';
import { SILENT } from '../../src/queue/logger.ts';
import type { ClaimedRun, HeldLane, Poll } from '../../src/queue/store.ts';
import { Attempt } from '../../src/queue/worker/attempt.ts';
import type { AttemptWriter } from '../../src/queue/worker/attempt-writer.ts';
import { conclude } from '../../src/queue/worker/conclude.ts';
import { RunningAttempts } from '../../src/queue/worker/running-attempts.ts';
import type { Flight } from './flights.ts';
import type { SimWriter } from './sim-writer.ts';
import type { Call, OutcomeKind, WorkerPlan, WorkKind } from './step.ts';
import type { World } from './world.ts';

/** One life of a node, as its worker knows it. */
export interface Member {
  readonly id: string;
  readonly writer: SimWriter;
  trustedUntil: number;
  /** How often the store's clock had jumped when it last entered or renewed the lease. */
  jumps: number;
  sentAt: number;
}

/** One handler at work. */
export interface Execution {
  readonly attempt: Attempt;
  readonly member: Member;
  /** Earlier attempts of the lane in this process, which have to return first. */
  readonly before: readonly Attempt[];
  state: 'blocked' | 'running' | 'returned';
}

/**
 * A worker process as a state machine. It decides what worker-loop.ts decides, with the same parts
 * (attempts, held runs, ends of handlers), but does nothing until a step tells it to.
 */
export class SimWorker {
  readonly world: World;
  readonly plan: WorkerPlan;
  readonly pid: number;
  readonly held = new RunningAttempts(SILENT, 5000);
  readonly claims = { begun: 0, ended: 0 };
  readonly flights = new Map<Call, Flight>();
  executions: Execution[] = [];
  member: Member | null = null;
  pausedUntil = 0;
  stopping = false;
  /** What the last poll showed to take over; null if nothing. */
  toTakeOver: string[] | null = null;
  #turn = 0;

  constructor(world: World, plan: WorkerPlan) {
    this.world = world;
    this.plan = plan;
    this.pid = world.number();
    world.pids.add(this.pid);
  }

  get alive(): boolean {
    return this.world.pids.has(this.pid);
  }

  get paused(): boolean {
    return this.world.now < this.pausedUntil;
  }

  trusts(member: Member): boolean {
    return this.member === member && this.world.now < member.trustedUntil;
  }

  /** Its types, each first in its turn. */
  turnedTypes(): string[] {
    const { types } = this.plan;
    const at = this.#turn++ % types.length;
    return [...types.slice(at), ...types.slice(0, at)];
  }

  /** Gives up a lease that can no longer be trusted. */
  tick(): void {
    if (this.member !== null && !this.trusts(this.member)) this.lose(this.member);
  }

  lose(member: Member): void {
    if (this.member !== member) return;
    this.member = null;
    for (const attempt of this.held.values()) attempt.lose('the lease of its node was lost');
    member.writer.abandon();
    this.#forgetFlights();
  }

  /** The process is gone at once; what it had sent may still arrive. */
  crash(): void {
    this.world.pids.delete(this.pid);
    this.#forgetFlights();
    this.member = null;
    this.executions = [];
  }

  stop(): void {
    this.stopping = true;
    for (const attempt of this.held.values()) {
      attempt.stop(new AbortReason('shutdown', 'its worker is stopping'));
    }
  }

  begin(claimed: ClaimedRun, member: Member): void {
    const writer = member.writer as unknown as AttemptWriter;
    const attempt = new Attempt(claimed, writer, () => {});
    const before = this.held.add(attempt);
    const execution: Execution = { attempt, member, before, state: 'blocked' };
    this.executions.push(execution);
    this.#unblock(execution);
  }

  /** Applies what a poll showed; `sentAt` is a stamp from before it was sent. */
  see({ holds, nodes, stopped }: Poll, sentAt: number, member: Member): void {
    this.held.compare(holds, sentAt, stopped);
    for (const stray of this.held.strays(holds, this.claims)) this.#giveBack(stray, member);
    const proven = nodes.filter(
      (node) => !node.expired && node.host === this.plan.host && !this.world.pids.has(node.pid),
    );
    const wanted = proven.length > 0 || nodes.some(({ expired }) => expired);
    this.toTakeOver = wanted ? proven.map(({ id }) => id) : null;
  }

  /** Lets one handler go on. Answers what it did, for the trace. */
  work(pick: number, what: WorkKind, kind: OutcomeKind): string {
    const open = this.executions.filter(({ state }) => state !== 'returned');
    const execution = open[pick % open.length];
    if (execution === undefined) return 'idle';
    if (execution.state === 'blocked') {
      this.#unblock(execution);
      return execution.state;
    }
    const { attempt } = execution;
    if (attempt.abort !== null || what === 'return') {
      // A handler whose question is open does nothing before the answer.
      if (attempt.abort === null && attempt.asking) return 'asks';
      this.#return(execution, kind);
      return 'returns';
    }
    if (attempt.asking) return 'asks';
    if (what === 'event') this.#emit(attempt);
    else if (what === 'ask') attempt.wait().catch(() => {});
    else if (attempt.committed === null) {
      attempt.commit(kind === 'fails' ? failed('invalid_tool') : succeeded()).catch(() => {});
    }
    return what;
  }

  #emit(attempt: Attempt): void {
    const n = this.world.number();
    attempt.channel.event({ type: 'run.progress', payload: { n } }, 10).catch(() => {});
  }

  #unblock(execution: Execution): void {
    const { attempt, before } = execution;
    if (this.stopping || attempt.abort !== null) {
      const reason = 'not begun';
      this.#end(execution, { kind: 'handed_back', reason });
    } else if (!this.held.values().some((other) => before.includes(other))) {
      attempt.channel.start();
      execution.state = 'running';
    }
  }

  #return(execution: Execution, kind: OutcomeKind): void {
    const { attempt } = execution;
    if (attempt.lost) this.#over(execution);
    else this.#end(execution, conclude(this.#returned(kind), attempt));
  }

  #returned(kind: OutcomeKind): Returned {
    switch (kind) {
      case 'succeeded':
        return { value: 1 };
      case 'gives_up':
        return { value: undefined };
      case 'fails':
        return { value: new Conclusion(failed('invalid_tool')) };
      case 'breaks':
        return { value: new Conclusion(failed('timeout')) };
      case 'handed_back':
        return { value: new Conclusion({ kind: 'handed_back', reason: 'asked to' }) };
      case 'parked': {
        const error = { class: 'usage_limit', message: 'full' } as const;
        const until = this.world.clock() + 2500;
        return { value: new Conclusion({ kind: 'parked', until, error }) };
      }
    }
  }

  #end(execution: Execution, outcome: Outcome): void {
    const { attempt } = execution;
    execution.state = 'returned';
    attempt.ending = true;
    const retried = outcome.kind === 'failed' && verdictOf(outcome.error.class) === 'retry';
    const random = (): number => this.world.random.next();
    const retryDelayMs = retried ? backoffMs(attempt.run.attempts, random) : 0;
    const over = (): void => this.#over(execution);
    attempt.channel.end({ outcome, retryDelayMs }, 10).then(over, over);
  }

  #over(execution: Execution): void {
    execution.state = 'returned';
    this.held.delete(execution.attempt);
    this.executions = this.executions.filter((other) => other !== execution);
  }

  #giveBack({ lane, fence }: HeldLane, member: Member): void {
    const outcome = { kind: 'handed_back', reason: 'the answer to its claim was lost' } as const;
    const channel = member.writer.open(lane, fence, () => {});
    channel.end({ outcome, retryDelayMs: 0 }, 0).catch(() => {});
  }

  #forgetFlights(): void {
    for (const { state, request } of this.flights.values()) {
      if (state === 'sent') this.world.late.push(request);
    }
    this.flights.clear();
    this.claims.ended = this.claims.begun;
  }
}

const succeeded = (): Outcome => ({ kind: 'succeeded', result: 1 });
const failed = (errorClass: 'invalid_tool' | 'timeout'): Outcome => ({
  kind: 'failed',
  error: { class: errorClass, message: 'it did not work' },
});
