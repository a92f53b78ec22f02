import type { Outcome } from '../../contract/outcome.ts';
import type { Run } from '../../contract/run.ts';
import { AbortReason } from '../handler-result.ts';
import { toJsonText } from '../json-text.ts';
import type { ClaimedRun } from '../store.ts';
import type { Channel } from './attempt-channel.ts';
import type { AttemptWriter } from './attempt-writer.ts';

/** A counter that shows which is newer: the worker's own knowledge or the result of a poll. */
let stamps = 0;
export const nextStamp = (): number => ++stamps;

/** One execution of a claimed run. */
export class Attempt {
  readonly run: Run;
  readonly fence: number;
  readonly channel: Channel;
  readonly since = nextStamp();
  /** The run has an open question, which was stored at `askedAt`. */
  asking = false;
  askedAt = 0;
  /** Its end is being written to the store, so a poll may or may not show it. */
  ending = false;
  committed: Outcome | null = null;
  abort: AbortReason | null = null;
  abortedAt = 0;
  /** Resolves when the handler has returned and everything is written. */
  done: Promise<void> = Promise.resolve();
  readonly #writer: AttemptWriter;
  readonly #onChange: () => void;
  #controller: AbortController | null = null;
  #question: PromiseWithResolvers<void> | null = null;

  /** `onChange` is called when a slot may have become free. */
  constructor(claimed: ClaimedRun, writer: AttemptWriter, onChange: () => void) {
    this.run = claimed.run;
    this.fence = claimed.fence;
    this.#writer = writer;
    this.#onChange = onChange;
    this.channel = writer.open(claimed.run.lane, claimed.fence, () =>
      this.lose('its fence is outdated: another worker has the run'),
    );
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.abort !== null) this.#controller.abort(this.abort);
    }
    return this.#controller.signal;
  }

  /** Resolves when the handler must stop. */
  get stopped(): Promise<void> {
    const { signal } = this;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  get lost(): boolean {
    return this.abort?.kind === 'lost';
  }

  /** Aborts the handler's signal. The first reason is kept, unless the run is lost later. */
  stop(reason: AbortReason): void {
    if (this.abort !== null && (this.lost || reason.kind !== 'lost')) return;
    this.abort = reason;
    this.abortedAt = performance.now();
    this.#controller?.abort(reason);
    this.#question?.reject(reason);
  }

  /** The run no longer belongs to this worker: nothing more is written about it. */
  lose(why: string): void {
    this.stop(new AbortReason('lost', why));
    this.#writer.close(this.channel);
  }

  room(): Promise<void> {
    return this.#writer.room();
  }

  commit(outcome: Outcome): Promise<void> {
    this.committed = outcome;
    return this.channel.commit(outcome, toJsonText(outcome).bytes);
  }

  async wait(): Promise<void> {
    if (this.abort !== null) throw this.abort;
    if (this.#question === null) {
      this.#question = Promise.withResolvers();
      // The promise may be rejected while the question is still being written.
      this.#question.promise.catch(() => {});
      await this.#ask();
    }
    await this.#question?.promise;
  }

  async #ask(): Promise<void> {
    try {
      await this.channel.ask();
    } catch (error) {
      this.#question = null;
      throw this.abort ?? error;
    }
    this.asking = true;
    this.askedAt = nextStamp();
    this.#onChange();
  }

  /** The question was answered and the run has a slot again. */
  resume(): void {
    const question = this.#question;
    this.#question = null;
    this.asking = false;
    question?.resolve();
  }
}
