import type { Logger } from '../logger.ts';
import { type DatabaseWatch, isTransient } from '../membership/database-watch.ts';
import type { QueueStore } from '../store.ts';
import { Channel, type Entry, LostError, type Sink } from './attempt-channel.ts';

const BATCH_LANES = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

export interface WriterOptions {
  readonly store: Pick<QueueStore, 'write'>;
  readonly database: DatabaseWatch;
  readonly log: Logger;
  /** The number of unwritten bytes at which `room()` waits. */
  readonly bufferBytes: number;
}

/**
 * All of a worker's writes about its attempts go through here, in batches. At most one batch is in
 * progress; writes that arrive during it form the next. So the first write waits for nothing, and
 * the cost per event falls under load (E7). The writes of one attempt stay in order, and a batch
 * contains at most one write per lane. While the database is unavailable, the same batch is retried
 * until it is back or the lease is gone (`abandon`).
 */
export class AttemptWriter implements Sink {
  readonly bufferBytes: number;
  readonly #options: WriterOptions;
  readonly #dirty = new Set<Channel>();
  #underWay: readonly Entry[] = [];
  #bytes = 0;
  #flushing: Promise<void> | null = null;
  #abandoned = false;
  #room: PromiseWithResolvers<void> | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.bufferBytes = options.bufferBytes;
  }

  get accepting(): boolean {
    return !this.#abandoned;
  }

  get bufferedBytes(): number {
    return this.#bytes;
  }

  open(lane: string, fence: number, onLost: () => void): Channel {
    return new Channel(this, lane, fence, onLost);
  }

  /** Resolves immediately while there is room, otherwise as soon as half of the buffer is free. */
  room(): Promise<void> {
    if (this.#bytes < this.bufferBytes || this.#abandoned) return Promise.resolve();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** The lease is gone: nothing more is written, and all waiting writes are rejected. */
  abandon(): void {
    this.#abandoned = true;
    for (const channel of [...this.#dirty]) this.close(channel);
    for (const entry of this.#underWay) this.#refuse(entry);
    this.#freed(0);
  }

  /** Drops an attempt's unwritten entries, and refuses more. */
  close(channel: Channel): void {
    channel.closed = true;
    this.#dirty.delete(channel);
    for (const entry of channel.queue.splice(0)) this.#refuse(entry);
  }

  added(channel: Channel, bytes: number): void {
    channel.bytes += bytes;
    this.#bytes += bytes;
    this.#dirty.add(channel);
    this.#flushing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // Wait one turn of the event loop, so that everything a quick handler does becomes one write.
    await new Promise(setImmediate);
    while (this.#dirty.size > 0 && !this.#abandoned) {
      this.#underWay = this.#take();
      await this.#store(this.#underWay);
      this.#underWay = [];
    }
    this.#flushing = null;
  }

  #take(): Entry[] {
    const batch: Entry[] = [];
    const withMore: Channel[] = [];
    let bytes = 0;
    for (const channel of this.#dirty) {
      if (batch.length >= BATCH_LANES || bytes >= BATCH_BYTES) break;
      this.#dirty.delete(channel);
      const entry = channel.queue.shift();
      if (entry === undefined) continue;
      entry.write.no = ++channel.writes;
      bytes += entry.bytes;
      batch.push(entry);
      if (channel.queue.length > 0) withMore.push(channel);
    }
    for (const channel of withMore) this.#dirty.add(channel);
    return batch;
  }

  async #store(batch: readonly Entry[]): Promise<void> {
    const { store, database, log } = this.#options;
    while (!this.#abandoned) {
      try {
        const answers = await store.write(batch.map((entry) => entry.write));
        database.answered('write');
        batch.forEach((entry, i) => {
          this.#answered(entry, answers[i] === true);
        });
        return;
      } catch (error) {
        if (isTransient(error)) {
          database.failed(error);
          await database.rest();
        } else if (batch.length > 1) {
          // One write that the database refuses must not block the others.
          for (const entry of batch) await this.#store([entry]);
          return;
        } else {
          log.error({ err: error, lane: batch[0]?.write.lane }, 'A write was refused');
          for (const entry of batch) this.#close(entry, (waiter) => waiter.reject(error));
          return;
        }
      }
    }
  }

  #answered(entry: Entry, stored: boolean): void {
    const { channel } = entry;
    if (!stored) {
      const known = channel.closed;
      this.close(channel);
      this.#refuse(entry);
      if (!known) channel.onLost();
      return;
    }
    if (entry.write.start === true) channel.started = true;
    this.#close(entry, (waiter) => waiter.resolve());
  }

  #refuse(entry: Entry): void {
    this.#close(entry, (waiter) => waiter.reject(new LostError('its fence is outdated')));
  }

  #close(entry: Entry, complete: (waiter: PromiseWithResolvers<void>) => void): void {
    if (entry.answered) return;
    entry.answered = true;
    entry.channel.bytes -= entry.bytes;
    this.#freed(entry.bytes);
    for (const waiter of entry.waiters ?? []) complete(waiter);
  }

  #freed(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#room === null) return;
    if (this.#abandoned || this.#bytes <= this.bufferBytes / 2) {
      this.#room.resolve();
      this.#room = null;
    }
  }
}
