import type { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Authenticator } from '../../access/authenticator.ts';
import { BatonError, type ErrorCode } from '../../contract/errors.ts';
import { STREAM_LIMIT } from '../../contract/limits.ts';
import type { Logger } from '../../queue/logger.ts';
import { isTransient } from '../../queue/membership/database-watch.ts';
import { Slots } from '../limits/slots.ts';
import { whenClosed } from '../limits/when-closed.ts';
import type { CheckCache, ReadCheck } from './read-check.ts';
import type { EndReason, Sink, StreamKind } from './sink.ts';

/** Hooks for the metrics of streams. */
export interface StreamMetrics {
  streamOpened(kind: StreamKind): void;
  streamClosed(kind: StreamKind): void;
  streamDropped(kind: StreamKind): void;
  /** Called when the response to an upgrade is an error. */
  refused?(code: ErrorCode): void;
}

export interface StreamLimits {
  /** How many streams a user may have open, if streams are not counted elsewhere. */
  readonly perUser: number;
  readonly pingMs: number;
  /** A reader that takes no data for this long is dropped. */
  readonly stallMs: number;
  /** How long a reader may take to receive the end of its stream. */
  readonly endMs: number;
  /** How soon a browser reconnects after its stream breaks or ends. */
  readonly retryMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  perUser: STREAM_LIMIT,
  pingMs: 15_000,
  stallMs: 30_000,
  endMs: 5000,
  retryMs: 1000,
};

/** Someone who reads a stream or a download. */
interface Reader {
  readonly readCheck: ReadCheck;
  /** Called when the reader has lost access. */
  refuse(): void;
}

/** One open stream: where it goes, and how to stop it. */
interface Open {
  readonly sink: Sink;
  readonly stop: AbortController;
}

/** How many readers are rechecked at the same time. */
const CONCURRENT_CHECKS = 8;
/** Longer than a request takes from authentication until its stream is open. */
const RECENT_MS = 30_000;

/**
 * This node's streams and downloads: counts them per user, pings streams, and closes those that
 * must end.
 */
export class OpenStreams {
  readonly limits: StreamLimits;
  /** Decides who may still read. */
  readonly authenticator: Pick<Authenticator, 'recheck'>;
  readonly #log: Pick<Logger, 'error'>;
  readonly #metrics: StreamMetrics | undefined;
  readonly #slots: Slots;
  readonly #open = new Set<Open>();
  readonly #readers = new Set<Reader>();
  readonly #hostBound = new Set<Duplex>();
  #timer: NodeJS.Timeout | null = null;
  #closing = false;
  #emptied: PromiseWithResolvers<void> | null = null;
  #checking = false;
  #checkAgain = false;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(
    log: Pick<Logger, 'error'>,
    authenticator: Pick<Authenticator, 'recheck'>,
    limits: Partial<StreamLimits> = {},
    metrics?: StreamMetrics,
    slots?: Slots,
  ) {
    this.limits = { ...STREAM_LIMITS, ...limits };
    this.#slots = slots ?? new Slots(this.limits.perUser);
    this.authenticator = authenticator;
    this.#log = log;
    this.#metrics = metrics;
  }

  get count(): number {
    return this.#open.size;
  }

  /**
   * Takes a slot for one of this user's streams; call the returned function when the stream ends.
   */
  enter(userId: string): () => void {
    this.#refuseIfClosing();
    const leave = this.#slots.enter(userId);
    if (leave === null) throw new BatonError('too_many_streams');
    return leave;
  }

  /**
   * Destroys the connection of a host-bound WebSocket when the streams close. Its end is not ours to
   * report, and the server would wait for it: it no longer counts upgraded connections as its own.
   */
  holdHostBound(socket: Duplex): void {
    this.#refuseIfClosing();
    this.#hostBound.add(socket);
    whenClosed(socket, () => this.#hostBound.delete(socket));
  }

  /**
   * Calls `refuse` if the reader loses access; call the returned function when the reader stops
   * reading.
   */
  watch(readCheck: ReadCheck, refuse: () => void): () => void {
    const reader = { readCheck, refuse };
    this.#readers.add(reader);
    // One timer for all streams: a timer per stream would make up most of the cost of an idle
    // stream.
    this.#timer ??= setInterval(() => {
      for (const { sink } of this.#open) sink.ping();
      // The notification of a change may have been lost.
      void this.recheckAccess();
    }, this.limits.pingMs).unref();
    // A reader who was authenticated just before a change was not among those that were rechecked.
    if (performance.now() - this.#changedAt < RECENT_MS)
      void this.#recheckEach([reader], new Map());
    return () => {
      this.#readers.delete(reader);
      if (this.#readers.size > 0) return;
      clearInterval(this.#timer ?? undefined);
      this.#timer = null;
    };
  }

  /**
   * Runs a stream until `work` returns how it ended, and reports the end to its reader. The signal
   * aborts when the reader leaves, or with the reason `restart` or `refused`. Never rejects,
   * because nothing awaits a stream.
   */
  async run(
    sink: Sink,
    readCheck: ReadCheck,
    work: (signal: AbortSignal) => Promise<{ reason: EndReason; after: number }>,
  ): Promise<void> {
    const stop = new AbortController();
    const open = { sink, stop };
    const left = (): void => stop.abort('left');
    sink.out.once('close', left);
    if (sink.closed) left();
    else if (this.#closing) stop.abort('restart');
    this.#open.add(open);
    this.#metrics?.streamOpened(sink.kind);
    const unwatch = this.watch(readCheck, () => stop.abort('refused'));
    try {
      const { reason, after } = await work(stop.signal);
      if (reason === 'dropped') this.#metrics?.streamDropped(sink.kind);
      if (!sink.closed) {
        sink.end(reason, after);
        await this.#endReceived(sink);
      }
    } catch (err) {
      this.#log.error({ err }, 'A stream failed');
    } finally {
      sink.out.off('close', left);
      if (!sink.closed) sink.destroy();
      unwatch();
      this.#open.delete(open);
      this.#metrics?.streamClosed(sink.kind);
      if (this.#open.size === 0) this.#emptied?.resolve();
    }
  }

  /**
   * Ends every stream and asks its reader to reconnect soon. Host-bound WebSockets just break off.
   * Safe to call twice.
   */
  async close(): Promise<void> {
    this.#closing = true;
    for (const socket of this.#hostBound) socket.destroy();
    if (this.#open.size === 0) return;
    this.#emptied ??= Promise.withResolvers<void>();
    for (const { stop } of [...this.#open]) stop.abort('restart');
    await this.#emptied.promise;
  }

  /** Call it when people's access has changed. */
  accessChanged(): void {
    this.#changedAt = performance.now();
    void this.recheckAccess();
  }

  /** Ends the streams and downloads of readers who have lost access. */
  async recheckAccess(): Promise<void> {
    this.#checkAgain = true;
    if (this.#checking) return;
    this.#checking = true;
    while (this.#checkAgain) {
      this.#checkAgain = false;
      const cache: CheckCache = new Map();
      const rest = this.#readers.values();
      await Promise.all(
        Array.from({ length: CONCURRENT_CHECKS }, () => this.#recheckEach(rest, cache)),
      );
    }
    this.#checking = false;
  }

  #refuseIfClosing(): void {
    if (this.#closing) throw new BatonError('closed', 'The server is stopping. Try again.');
  }

  /**
   * A stream that cannot be checked stays open: an unreachable database must not end streams (O5).
   */
  async #recheckEach(readers: Iterable<Reader>, cache: CheckCache): Promise<void> {
    for (const { readCheck, refuse } of readers) {
      const allowed = await readCheck(cache).catch((err: unknown) => {
        if (!isTransient(err))
          this.#log.error({ err }, 'Could not recheck whether a stream is still allowed');
        return true;
      });
      if (!allowed) refuse();
      // An embedded database is read synchronously; a thousand reads would block everything else.
      await turn();
    }
  }

  /** Waits until the reader has received the end, for at most `endMs`. */
  #endReceived(sink: Sink): Promise<void> {
    if (sink.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.limits.endMs);
      sink.out.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
