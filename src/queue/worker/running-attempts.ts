import { EVERYTHING_STOPPED } from '../../contract/limits.ts';
import { AbortReason } from '../handler-result.ts';
import type { Logger } from '../logger.ts';
import type { HeldLane } from '../store.ts';
import type { Attempt } from './attempt.ts';
import { fieldsOf } from './attempt-log.ts';

/**
 * The attempts of one worker whose handlers have not returned, compared with the database on each
 * poll. A poll applies only to attempts that have not changed since it was sent; the next poll
 * covers the rest.
 */
export class RunningAttempts {
  readonly #live = new Set<Attempt>();
  /** The same attempts by lane, with the latest last. */
  readonly #byLane = new Map<string, readonly Attempt[]>();
  readonly #reported = new WeakSet<Attempt>();
  /** Lanes in the last poll that have no attempt in this process. */
  #strays = new Map<string, { readonly fence: number; readonly claims: number }>();
  readonly #log: Logger;
  readonly #returnMs: number;

  /** If a handler has not returned `returnMs` after its signal was aborted, this is reported. */
  constructor(log: Logger, returnMs: number) {
    this.#log = log;
    this.#returnMs = returnMs;
  }

  /**
   * Returns the earlier attempts on the same lane whose handlers have not returned yet. Those
   * attempts are lost, but this process must not execute the lane again until they return. Usually
   * there are none; if a handler ignores its signal, each loss of the lease adds an attempt.
   */
  add(attempt: Attempt): readonly Attempt[] {
    const { lane } = attempt.run;
    const before = this.#byLane.get(lane) ?? [];
    this.#live.add(attempt);
    this.#byLane.set(lane, before.length === 0 ? [attempt] : [...before, attempt]);
    return before;
  }

  delete(attempt: Attempt): void {
    this.#live.delete(attempt);
    const { lane } = attempt.run;
    const others = this.#byLane.get(lane)?.filter((other) => other !== attempt) ?? [];
    if (others.length === 0) this.#byLane.delete(lane);
    else this.#byLane.set(lane, others);
  }

  get size(): number {
    return this.#live.size;
  }

  values(): Attempt[] {
    return [...this.#live];
  }

  /** The number of attempts that occupy a slot; an attempt with an open question occupies none. */
  get executing(): number {
    let count = 0;
    for (const attempt of this.#live) if (!attempt.asking) count++;
    return count;
  }

  /** Applies the result of a poll; `sentAt` is a timestamp from before the poll was sent. */
  compare(holds: readonly HeldLane[], sentAt: number, stopped = false): void {
    const shown = new Map(holds.map((held) => [held.lane, held]));
    for (const attempt of this.#live) {
      this.#reportIgnored(attempt);
      if (attempt.lost || attempt.ending || attempt.since > sentAt) continue;
      const held = shown.get(attempt.run.lane);
      if (held?.fence === attempt.fence) apply(attempt, held, sentAt, stopped);
      else attempt.lose('another worker has the run');
    }
  }

  /**
   * Lanes that the node holds without an attempt here, because the response to the claim was lost.
   * Two polls in a row must show such a lane, and every claim begun before the first poll must have
   * returned before the second.
   */
  strays(holds: readonly HeldLane[], claims: { begun: number; ended: number }): HeldLane[] {
    const before = this.#strays;
    const unknown = holds.filter(
      ({ lane, fence }) => this.#byLane.get(lane)?.at(-1)?.fence !== fence,
    );
    this.#strays = new Map(
      unknown.map(({ lane, fence }) => [lane, { fence, claims: claims.begun }]),
    );
    return unknown.filter(({ lane, fence }) => {
      const seen = before.get(lane);
      return seen?.fence === fence && seen.claims <= claims.ended;
    });
  }

  /** A handler cannot be killed from here. Its lane stays taken: two executions would be worse. */
  #reportIgnored(attempt: Attempt): void {
    if (attempt.abort === null || attempt.ending || this.#reported.has(attempt)) return;
    if (performance.now() - attempt.abortedAt < this.#returnMs) return;
    this.#reported.add(attempt);
    const reason = attempt.abort.message;
    this.#log.warn({ ...fieldsOf(attempt), reason }, 'A handler is ignoring its abort signal');
  }
}

function apply(attempt: Attempt, held: HeldLane, sentAt: number, stopped: boolean): void {
  if (held.cancel !== null) {
    attempt.stop(new AbortReason('cancelled', 'the run was cancelled', held.cancel));
  } else if (stopped) {
    attempt.stop(new AbortReason('stopped', EVERYTHING_STOPPED));
  } else if (held.state === 'running' && attempt.asking && attempt.askedAt <= sentAt) {
    attempt.resume();
  }
}
