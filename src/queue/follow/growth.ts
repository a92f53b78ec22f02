import { setTimeout as delay } from 'node:timers/promises';
import { Coalescer } from '../coalescer.ts';
import { Signal } from './signal.ts';

/**
 * A lane whose log has grown; `all` if too much has changed to list, so everything must be checked.
 */
export type Growth = { readonly lane: string; readonly lastSeq: number } | { readonly all: true };

/** Further growth of a lane within this time is combined; the first is reported immediately. */
const WINDOW_MS = 50;
/** How many lanes a reader may leave unread; beyond that, it gets `all`. */
const LANES_MOST = 10_000;

/**
 * One reader of the hint feed. The reader gets the latest seq of each lane that has grown since the
 * reader joined.
 */
export class GrowthReader implements AsyncIterableIterator<Growth, void, void> {
  readonly #grown = new Map<string, number>();
  readonly #changed = new Signal();
  readonly #onEnd: (reader: GrowthReader) => void;
  #all = false;
  #ended = false;

  constructor(onEnd: (reader: GrowthReader) => void) {
    this.#onEnd = onEnd;
  }

  async next(): Promise<IteratorResult<Growth, void>> {
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      if (this.#all) {
        this.#all = false;
        return { done: false, value: { all: true } };
      }
      for (const [lane, lastSeq] of this.#grown) {
        this.#grown.delete(lane);
        return { done: false, value: { lane, lastSeq } };
      }
      await this.#changed.wait();
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /* For the hub. */

  offer(grown: ReadonlyMap<string, number>): void {
    for (const [lane, lastSeq] of grown) this.#grown.set(lane, lastSeq);
    if (this.#grown.size > LANES_MOST) this.offerAll();
    else this.#changed.fire();
  }

  offerAll(): void {
    this.#grown.clear();
    this.#all = true;
    this.#changed.fire();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(this);
    this.#changed.fire();
  }
}

/**
 * Reports the growth of all lanes to readers, whether or not the lanes are followed. Hints are
 * never replayed.
 */
export class GrowthHub {
  readonly readers = new Set<GrowthReader>();
  readonly #lastSeqs: (lanes: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly #failed: (error: unknown) => void;
  readonly #coalescer = new Coalescer(() => this.#send());
  #grown = new Set<string>();
  #all = false;

  constructor(
    lastSeqs: (lanes: readonly string[]) => Promise<ReadonlyMap<string, number>>,
    failed: (error: unknown) => void,
  ) {
    this.#lastSeqs = lastSeqs;
    this.#failed = failed;
  }

  /** Records that these lanes have grown; with `all`, any lane may have grown. */
  note(lanes: Iterable<string>, all = false): void {
    if (this.readers.size === 0) return;
    for (const lane of lanes) this.#grown.add(lane);
    this.#all ||= all || this.#grown.size > LANES_MOST;
    this.retry();
  }

  /** Sends hints that could not be sent before. */
  retry(): void {
    if (this.#all || this.#grown.size > 0) this.#coalescer.trigger();
  }

  async #send(): Promise<void> {
    const lanes = [...this.#grown];
    const all = this.#all;
    this.#grown = new Set();
    this.#all = false;
    if (all) {
      for (const reader of this.readers) reader.offerAll();
    } else {
      try {
        const grown = await this.#lastSeqs(lanes);
        // A removed lane has no last seq to report, and there is no record of who could see it.
        const isGone = lanes.some((lane) => !grown.has(lane));
        for (const reader of this.readers) isGone ? reader.offerAll() : reader.offer(grown);
      } catch (error) {
        for (const lane of lanes) this.#grown.add(lane);
        this.#failed(error);
      }
    }
    await delay(WINDOW_MS, undefined, { ref: false });
  }
}
