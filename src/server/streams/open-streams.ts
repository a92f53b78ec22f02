import { setImmediate as turn } from 'node:timers/promises';
import type { Authenticator } from '../../access/service.ts';
import { BatonError, type ErrorCode } from '../../contract/errors.ts';
import type { Logger } from '../../queue/logger.ts';
import { isTransient } from '../../queue/node/database-watch.ts';
import { Places } from '../limits/places.ts';
import type { EndReason, Sink, StreamKind } from './sink.ts';
import type { Look, StillMay } from './still-may.ts';

/** What is counted about streams. */
export interface StreamMetrics {
  streamOpened(kind: StreamKind): void;
  streamClosed(kind: StreamKind): void;
  streamDropped(kind: StreamKind): void;
  /** An upgrade was answered by an error. */
  refused?(code: ErrorCode): void;
}

export interface StreamLimits {
  /** Open streams of one user, unless they are counted elsewhere. */
  readonly perUser: number;
  readonly pingMs: number;
  /** A reader that takes nothing for so long is dropped. */
  readonly stallMs: number;
  /** How long a reader may take to see the end of its stream. */
  readonly endMs: number;
  /** When a browser tries again after its stream broke or was ended. */
  readonly retryMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  perUser: 200,
  pingMs: 15_000,
  stallMs: 30_000,
  endMs: 5000,
  retryMs: 1000,
};

/** One stream under way: where it goes, and how to stop it. */
interface Open {
  readonly sink: Sink;
  readonly stop: AbortController;
  readonly stillMay: StillMay;
}

/** Streams that are looked at again at the same time. */
const LOOKS = 8;
/** Longer than a request takes from being let in to its open stream. */
const LATELY_MS = 30_000;

/** The streams of this node: counts them by user, pings them all, ends those that must end. */
export class OpenStreams {
  readonly limits: StreamLimits;
  /** Knows who may still read. */
  readonly authenticator: Pick<Authenticator, 'again'>;
  readonly #log: Pick<Logger, 'error'>;
  readonly #metrics: StreamMetrics | undefined;
  readonly #places: Places;
  readonly #open = new Set<Open>();
  #timer: NodeJS.Timeout | null = null;
  #closing = false;
  #emptied: PromiseWithResolvers<void> | null = null;
  #looking = false;
  #lookMore = false;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(
    log: Pick<Logger, 'error'>,
    authenticator: Pick<Authenticator, 'again'>,
    limits: Partial<StreamLimits> = {},
    metrics?: StreamMetrics,
    places?: Places,
  ) {
    this.limits = { ...STREAM_LIMITS, ...limits };
    this.#places = places ?? new Places(this.limits.perUser);
    this.authenticator = authenticator;
    this.#log = log;
    this.#metrics = metrics;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Takes a place for a stream of this user; what it gives is called at the end. */
  enter(userId: string): () => void {
    if (this.#closing) throw new BatonError('closed', 'The server is stopping. Try again.');
    const leave = this.#places.enter(userId);
    if (leave === null) throw new BatonError('too_many_streams');
    return leave;
  }

  /**
   * Runs a stream until `work` says how it ended, and sees its reader off. The signal is aborted when
   * the reader leaves, or with the reason `restart` or `refused`. Never rejects: nobody waits for a
   * stream.
   */
  async run(
    sink: Sink,
    stillMay: StillMay,
    work: (signal: AbortSignal) => Promise<{ reason: EndReason; after: number }>,
  ): Promise<void> {
    const stop = new AbortController();
    const open = { sink, stop, stillMay };
    const left = (): void => stop.abort('left');
    sink.out.once('close', left);
    if (sink.closed) left();
    else if (this.#closing) stop.abort('restart');
    this.#add(open);
    // Whoever was let in just before something changed was not among those who were looked at.
    if (performance.now() - this.#changedAt < LATELY_MS) void this.#lookAtEach([open], new Map());
    try {
      const { reason, after } = await work(stop.signal);
      if (reason === 'dropped') this.#metrics?.streamDropped(sink.kind);
      if (!sink.closed) {
        sink.end(reason, after);
        await this.#seen(sink);
      }
    } catch (err) {
      this.#log.error({ err }, 'A stream failed');
    } finally {
      sink.out.off('close', left);
      if (!sink.closed) sink.destroy();
      this.#remove(open);
    }
  }

  /** Sends every reader away to come back soon. Safe to call twice. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#open.size === 0) return;
    this.#emptied ??= Promise.withResolvers<void>();
    for (const { stop } of [...this.#open]) stop.abort('restart');
    await this.#emptied.promise;
  }

  /** What people may do has changed. */
  accessChanged(): void {
    this.#changedAt = performance.now();
    void this.lookAgain();
  }

  /** Ends the streams of those who may not read any more. */
  async lookAgain(): Promise<void> {
    this.#lookMore = true;
    if (this.#looking) return;
    this.#looking = true;
    while (this.#lookMore) {
      this.#lookMore = false;
      const look: Look = new Map();
      const left = this.#open.values();
      await Promise.all(Array.from({ length: LOOKS }, () => this.#lookAtEach(left, look)));
    }
    this.#looking = false;
  }

  /** One that cannot be looked at stays: a database that is away ends no stream (O5). */
  async #lookAtEach(streams: Iterable<Open>, look: Look): Promise<void> {
    for (const { stillMay, stop } of streams) {
      const allowed = await stillMay(look).catch((err: unknown) => {
        if (!isTransient(err)) this.#log.error({ err }, 'A stream could not be looked at again');
        return true;
      });
      if (!allowed) stop.abort('refused');
      // An embedded database answers at once, and a thousand answers would hold up everybody else.
      await turn();
    }
  }

  /** Until the reader has taken the end, or the time for that is over. */
  #seen(sink: Sink): Promise<void> {
    if (sink.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.limits.endMs);
      sink.out.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #add(open: Open): void {
    this.#open.add(open);
    this.#metrics?.streamOpened(open.sink.kind);
    // One timer for all: a timer each would be most of what an idle stream costs.
    this.#timer ??= setInterval(() => {
      for (const { sink } of this.#open) sink.ping();
      // Nobody may have told that something has changed.
      void this.lookAgain();
    }, this.limits.pingMs).unref();
  }

  #remove(open: Open): void {
    this.#open.delete(open);
    this.#metrics?.streamClosed(open.sink.kind);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer ?? undefined);
    this.#timer = null;
    this.#emptied?.resolve();
  }
}
