import { setTimeout as delay } from 'node:timers/promises';
import { postgresQueue, type RunQueue } from '../src/library.ts';
import type { Seen } from './check/evidence.ts';
import { ALL_LANES, digestOf } from './setup.ts';

/** How long the last events may take to arrive, on a busy machine. */
const LAST_MS = 20_000;

/** Follows all lanes with tails over connections of its own, and records their events. */
export class Reader {
  readonly seen: Seen[] = [];
  readonly #queue: RunQueue;
  readonly #eventsPerTail: number;
  readonly #stop = new AbortController();
  readonly #cursors = new Map<string, number>(ALL_LANES.map((lane) => [lane, 0]));
  #following: Promise<unknown> = Promise.resolve();

  /** Closes a tail after this many events; the next one continues from there. */
  static async open(url: string, eventsPerTail = Number.POSITIVE_INFINITY): Promise<Reader> {
    return new Reader(await postgresQueue({ url, poolSize: 2 }), eventsPerTail);
  }

  private constructor(queue: RunQueue, eventsPerTail: number) {
    this.#queue = queue;
    this.#eventsPerTail = eventsPerTail;
  }

  start(): void {
    this.#following = Promise.all(ALL_LANES.map((lane) => this.#follow(lane)));
  }

  async #follow(lane: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const tail = this.#queue.tail(lane, { after: this.#cursors.get(lane)!, signal });
      let left = this.#eventsPerTail;
      for await (const { seq, runId, attempt, type, payload, at } of tail) {
        const digest = digestOf([seq, runId, attempt, type, payload, at]);
        this.seen.push({ lane, seq, digest });
        this.#cursors.set(lane, seq);
        if (--left === 0) break;
      }
      // These lanes are never removed, and a tail dropped for being slow is replaced. The checker
      // reports the events that the reader does not see.
      if (left > 0 && tail.end?.dropped !== true) return;
    }
  }

  /** Waits for the remaining events, after everything else has stopped. */
  async finish(): Promise<void> {
    const deadline = performance.now() + LAST_MS;
    for (const lane of ALL_LANES) {
      while (performance.now() < deadline && (await this.#isBehind(lane))) await delay(50);
    }
    this.#stop.abort();
    await this.#following;
  }

  async #isBehind(lane: string): Promise<boolean> {
    const after = this.#cursors.get(lane)!;
    return (await this.#queue.events(lane, { after, limit: 1 })).length > 0;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
