import { setTimeout as delay } from 'node:timers/promises';
import { postgresQueue, type RunQueue } from '../src/library.ts';
import type { Seen } from './check/evidence.ts';
import { ALL_LANES, digestOf } from './setup.ts';

/** Follows all lanes by cursor over a connection of its own, and keeps what it sees. */
export class Reader {
  readonly seen: Seen[] = [];
  readonly #queue: RunQueue;
  readonly #cursors = new Map<string, number>();
  #reading: Promise<void> = Promise.resolve();
  #stopped = false;

  static async open(url: string): Promise<Reader> {
    return new Reader(await postgresQueue({ url, poolSize: 2 }));
  }

  private constructor(queue: RunQueue) {
    this.#queue = queue;
  }

  start(): void {
    this.#reading = this.#follow();
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      for (const lane of ALL_LANES) {
        if (this.#stopped) return;
        // A reader that cannot reach the database asks again from where it was.
        await this.#readPage(lane).catch(() => delay(100));
      }
      await delay(50);
    }
  }

  /** False if the lane had no more. */
  async #readPage(lane: string): Promise<boolean> {
    const after = this.#cursors.get(lane) ?? 0;
    const page = await this.#queue.events(lane, { after, limit: 50 });
    for (const { seq, runId, attempt, type, payload, at } of page) {
      const digest = digestOf([seq, runId, attempt, type, payload, at]);
      this.seen.push({ lane, seq, digest });
      this.#cursors.set(lane, seq);
    }
    return page.length > 0;
  }

  /** Reads what is left, after all others have stopped. */
  async finish(): Promise<void> {
    this.#stopped = true;
    await this.#reading;
    for (const lane of ALL_LANES) while (await this.#readPage(lane));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}
