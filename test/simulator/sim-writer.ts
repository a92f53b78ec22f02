import {
  Channel,
  type Entry,
  LostError,
  type Sink,
} from '../../src/queue/worker/attempt-channel.ts';

/**
 * Like attempt-writer.ts, but without timers: at most one batch in progress, with at most one write
 * per lane, numbered when it is taken, and sent again unchanged until it is answered.
 */
export class SimWriter implements Sink {
  readonly bufferBytes = 1_000_000;
  accepting = true;
  readonly #dirty = new Set<Channel>();
  #underWay: Entry[] = [];

  open(lane: string, fence: number, onLost: () => void): Channel {
    return new Channel(this, lane, fence, onLost);
  }

  added(channel: Channel): void {
    this.#dirty.add(channel);
  }

  room(): Promise<void> {
    return Promise.resolve();
  }

  close(channel: Channel): void {
    channel.closed = true;
    this.#dirty.delete(channel);
    for (const entry of channel.queue.splice(0)) refuse(entry);
  }

  abandon(): void {
    this.accepting = false;
    for (const channel of [...this.#dirty]) this.close(channel);
    for (const entry of this.#underWay) refuse(entry);
  }

  get idle(): boolean {
    return this.#underWay.length === 0 && this.#dirty.size === 0;
  }

  /** The batch to send: the one that was not answered, or a new one. */
  batch(): readonly Entry[] {
    if (this.#underWay.length > 0) return this.#underWay;
    for (const channel of [...this.#dirty]) {
      const entry = channel.queue.shift();
      if (channel.queue.length === 0) this.#dirty.delete(channel);
      if (entry === undefined) continue;
      entry.write.no = ++channel.writes;
      this.#underWay.push(entry);
    }
    return this.#underWay;
  }

  answered(batch: readonly Entry[], answers: readonly boolean[]): void {
    this.#underWay = [];
    for (const [i, entry] of batch.entries()) {
      if (answers[i] === true) {
        if (entry.write.start === true) entry.channel.started = true;
        finish(entry, (waiter) => waiter.resolve());
        continue;
      }
      const known = entry.channel.closed;
      this.close(entry.channel);
      refuse(entry);
      if (!known) entry.channel.onLost();
    }
  }
}

const refuse = (entry: Entry): void =>
  finish(entry, (waiter) => waiter.reject(new LostError('its fence is outdated')));

function finish(entry: Entry, complete: (waiter: PromiseWithResolvers<void>) => void): void {
  if (entry.answered) return;
  entry.answered = true;
  for (const waiter of entry.waiters ?? []) complete(waiter);
}
