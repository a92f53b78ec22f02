import { eventOf } from '../../src/contract/events/event-of.ts';
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

/** One node, as its worker knows it. */
export interface Member {
  readonly id: string;
  readonly writer: SimWriter;
  trustedUntil: number;
  /** How often the store's clock had jumped when the lease was last started or renewed. */
  jumps: number;
  sentAt: number;
}

/** One running handler. */
export interface Execution {
  readonly attempt: Attempt;
  readonly member: Member;
  /** Earlier attempts on the lane in this process, which must return first. */
  readonly before: readonly Attempt[];
  state: 'blocked' | 'running' | 'returned';
}

/**
 * A worker process as a state machine. It makes the decisions of worker-loop.ts with the same parts
 * (attempts, running attempts, conclusions), but only acts when a step makes it.
 */
export class SimWorker {
  readonly world: World;
  readonly plan: WorkerPlan;
  readonly pid: number;
  readonly attempts = new RunningAttempts(SILENT, 5000);
  readonly claims = { begun: 0, ended: 0 };
  readonly flights = new Map<Call, Flight>();
  executions: Execution[] = [];
  member: Member | null = null;
  pausedUntil = 0;
  stopping = false;
  /** Nodes to take over from, according to the last poll; null if there is nothing to take over. */
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

  /** The worker's types, rotated by one each time. */
  turnedTypes(): string[] {
    const { types } = this.plan;
    const at = this.#turn++ % types.length;
    return [...types.slice(at), ...types.slice(0, at)];
  }

  /** Drops a lease that can no longer be trusted. */
  tick(): void {
    if (this.member !== null && !this.trusts(this.member)) this.lose(this.member);
  }

  lose(member: Member): void {
    if (this.member !== member) return;
    this.member = null;
    for (const attempt of this.attempts.values()) attempt.lose('the lease of its node was lost');
    member.writer.abandon();
    this.#forgetFlights();
  }

  /** The process dies immediately; requests it had sent may still arrive. */
  crash(): void {
    this.world.pids.delete(this.pid);
    this.#forgetFlights();
    this.member = null;
    this.executions = [];
  }

  stop(): void {
    this.stopping = true;
    for (const attempt of this.attempts.values()) {
      attempt.stop(new AbortReason('shutdown', 'its worker is stopping'));
    }
  }

  begin(claimed: ClaimedRun, member: Member): void {
    const writer = member.writer as unknown as AttemptWriter;
    const attempt = new Attempt(claimed, writer, () => {});
    const before = this.attempts.add(attempt);
    const execution: Execution = { attempt, member, before, state: 'blocked' };
    this.executions.push(execution);
    this.#unblock(execution);
  }

  /** Applies the result of a poll; `sentAt` is a stamp from before it was sent. */
  see({ holds, nodes, stopped }: Poll, sentAt: number, member: Member): void {
    this.attempts.compare(holds, sentAt, stopped);
    for (const stray of this.attempts.strays(holds, this.claims))
      this.#handBackStray(stray, member);
    const proven = nodes.filter(
      (node) => !node.expired && node.host === this.plan.host && !this.world.pids.has(node.pid),
    );
    const wanted = proven.length > 0 || nodes.some(({ expired }) => expired);
    this.toTakeOver = wanted ? proven.map(({ id }) => id) : null;
  }

  /** Advances one handler. Returns what it did, for the trace. */
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
      // A handler with an open question does nothing until the answer.
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
    attempt.channel.event(eventOf('run.progress', { n }), 10).catch(() => {});
  }

  #unblock(execution: Execution): void {
    const { attempt, before } = execution;
    if (this.stopping || attempt.abort !== null) {
      const reason = 'not begun';
      this.#end(execution, { kind: 'handed_back', reason });
    } else if (!this.attempts.values().some((other) => before.includes(other))) {
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
    this.attempts.delete(execution.attempt);
    this.executions = this.executions.filter((other) => other !== execution);
  }

  #handBackStray({ lane, fence }: HeldLane, member: Member): void {
    const outcome = { kind: 'handed_back', reason: 'the response to its claim was lost' } as const;
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
