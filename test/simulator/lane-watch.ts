import type { LogEvent } from '../../src/contract/event.ts';
import { must } from './broken.ts';
import type { Record } from './record.ts';

/** The times that a start is checked against. */
export interface StartRules {
  /** The latest time the store's clock has shown. */
  readonly latest: number;
  notBefore(runId: string): number;
}

interface Payload {
  readonly change?: string;
  readonly runAt?: number;
  readonly nextRunAt?: number;
  readonly until?: number;
  readonly n?: number;
}

/**
 * One lane as its log describes it, event by event: the queued runs in order, the begun run, the
 * finished ones. Every start is checked against it.
 */
export class LaneWatch {
  readonly lane: string;
  readonly #record: Record;
  lastSeq = 0;
  /** Queued runs, in the order they must start. */
  readonly order: string[] = [];
  begun: string | null = null;
  held = false;
  readonly done = new Map<string, number>();
  /** How often each run was restarted after the death of its node. */
  readonly restarts = new Map<string, number>();
  /** When each run may be retried. */
  readonly #waits = new Map<string, number>();
  readonly #known = new Set<string>();
  readonly #seen = new Set<number>();

  constructor(lane: string, record: Record) {
    this.lane = lane;
    this.#record = record;
  }

  apply(event: LogEvent, rules: StartRules): void {
    const { runId, type } = event;
    must(
      event.seq === this.lastSeq + 1,
      'seq without gaps',
      () => `${this.lane}: ${event.seq} after ${this.lastSeq}`,
    );
    this.lastSeq = event.seq;
    if (runId !== null) {
      must(!this.done.has(runId), 'nothing follows the end of a run', () => `${runId}: ${type}`);
    }
    const payload = event.payload as Payload | null;
    if (type === 'session.held') this.held = true;
    else if (type === 'session.resumed') this.held = false;
    else if (type === 'run.progress') this.#progress(payload?.n ?? 0);
    else if (runId === null) return;
    else if (type === 'run.queued') this.#queued(runId, payload ?? {});
    else if (type === 'run.dequeued') this.#started(runId, rules);
    else if (type === 'run.retry_scheduled') this.#waits.set(runId, payload?.nextRunAt ?? 0);
    else if (type === 'run.parked') this.#waits.set(runId, payload?.until ?? 0);
    else if (type === 'run.restarted') {
      this.restarts.set(runId, (this.restarts.get(runId) ?? 0) + 1);
    } else if (type === 'done') this.#ended(runId, event.seq);
  }

  #progress(n: number): void {
    must(!this.#seen.has(n), 'a repeated write is applied once', () => `${this.lane}: ${n}`);
    this.#seen.add(n);
    must(
      this.#record.written.delete(n),
      'an outdated fence changes nothing',
      () => `${this.lane}: event ${n} should not have been stored`,
    );
  }

  #queued(runId: string, { change, runAt }: { change?: string; runAt?: number }): void {
    if (change === 'moved') this.#moved();
    else if (change === 'due') this.order.push(runId);
    else if (change === undefined && !this.#known.has(runId)) {
      this.#known.add(runId);
      if (runAt !== undefined) return;
      if (this.#record.heads.has(runId)) this.order.unshift(runId);
      else this.order.push(runId);
    }
  }

  #moved(): void {
    const move = this.#record.moves.shift();
    must(move !== undefined, 'starts in order', () => `${this.lane}: an unexpected move`);
    const { run, before } = move;
    if (before === run) return;
    this.#leave(run);
    const at = before === null ? -1 : this.order.indexOf(before);
    if (at === -1) this.order.push(run);
    else this.order.splice(at, 0, run);
  }

  #started(runId: string, rules: StartRules): void {
    must(!this.held, 'held lanes start nothing', () => `${this.lane}: ${runId}`);
    const notBefore = Math.max(rules.notBefore(runId), this.#waits.get(runId) ?? 0);
    must(
      notBefore <= rules.latest,
      'no run starts before it is due',
      () => `${runId} at ${rules.latest}, not before ${notBefore}`,
    );
    if (this.begun === runId) return;
    must(
      this.begun === null,
      'at most one run of a lane has begun',
      () => `${this.lane}: ${runId}, but ${this.begun} has begun`,
    );
    must(
      this.order[0] === runId,
      'starts in order',
      () => `${this.lane}: ${runId}, but ${this.order} are queued`,
    );
    this.order.shift();
    this.begun = runId;
  }

  #ended(runId: string, seq: number): void {
    this.done.set(runId, seq);
    if (this.begun === runId) this.begun = null;
    else this.#leave(runId);
  }

  #leave(runId: string): void {
    const at = this.order.indexOf(runId);
    if (at !== -1) this.order.splice(at, 1);
  }
}
