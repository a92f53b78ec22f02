import type { Tail, TailEndReason } from '../../queue/follow/tail.ts';
import type { EndReason, Sink } from './sink.ts';

/** How often to check on a reader that takes no data. */
const CHECK_MS = 1000;

export interface Pumped {
  readonly reason: EndReason;
  /** The last seq that was written, or where the stream started. */
  readonly after: number;
}

const REASONS: Record<Exclude<TailEndReason, 'stopped'>, EndReason> = {
  done: 'done',
  gone: 'gone',
  closed: 'restart',
  stalled: 'dropped',
  unread: 'dropped',
};

/**
 * Writes the events of a tail until it ends. While the reader is not reading, nothing is taken from
 * the tail either; the tail's own limits bound how much it buffers (E4).
 */
export async function pump(
  tail: Tail,
  sink: Sink,
  options: { after: number; stallMs: number; signal: AbortSignal },
): Promise<Pumped> {
  const { stallMs, signal } = options;
  const stopped = (): EndReason => stopReason(signal);
  let { after } = options;
  for (;;) {
    const events = await tail.take();
    if (events === null) {
      const reason = tail.end?.reason ?? 'stopped';
      return { reason: reason === 'stopped' ? stopped() : REASONS[reason], after };
    }
    for (let i = 0; i < events.length; ) {
      i += sink.write(events, i);
      after = events[i - 1]?.seq ?? after;
      if (!sink.full) continue;
      if (!(await drained(sink, () => tail.end?.dropped === true, stallMs, signal))) {
        return { reason: signal.aborted ? stopped() : 'dropped', after };
      }
    }
  }
}

/** Why `OpenStreams` stopped the stream. */
export const stopReason = ({ reason }: AbortSignal): EndReason =>
  reason === 'restart' || reason === 'refused' ? reason : 'left';

/**
 * Resolves to true once the reader has taken what was written, and to false if there is no point in
 * waiting longer.
 */
export function drained(
  sink: Sink,
  dropped: () => boolean,
  stallMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const since = performance.now();
  return new Promise((resolve) => {
    const finish = (ok: boolean): void => {
      clearInterval(timer);
      sink.out.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      resolve(ok);
    };
    const onDrain = (): void => finish(true);
    const onAbort = (): void => finish(false);
    const timer = setInterval(
      () => {
        if (dropped() || performance.now() - since >= stallMs) finish(false);
      },
      Math.min(CHECK_MS, stallMs),
    );
    sink.out.once('drain', onDrain);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) finish(false);
  });
}
