import { setTimeout as delay } from 'node:timers/promises';
import type { Authorised } from '../../access/principal.ts';
import type { SessionHint } from '../../contract/session-event.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';
import type { OpenStreams } from './open-streams.ts';
import { drained, type Pumped, stopReason } from './pump.ts';
import { canStillRead } from './read-check.ts';
import type { Sink } from './sink.ts';

/** How long to wait between attempts while the database is unavailable. */
const AGAIN_MS = 1000;

/** Opens a stream of hints and resolves when it is open; it then continues in the background. */
export async function followHints(
  logs: LogService,
  streams: OpenStreams,
  by: Authorised<'read'>,
  open: () => Sink | Promise<Sink>,
): Promise<void> {
  const leave = streams.enter(by.userId);
  try {
    const sink = await open();
    void streams
      .run(sink, canStillRead(streams.authenticator, logs, by, null), (signal) =>
        pumpHints(logs, by, sink, streams, signal),
      )
      .finally(leave);
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Sends hints about changed sessions (E9). A slow reader gets only the latest hint for each
 * session.
 */
async function pumpHints(
  logs: LogService,
  by: Authorised<'read'>,
  sink: Sink,
  streams: OpenStreams,
  signal: AbortSignal,
): Promise<Pumped> {
  const send = async (hint: SessionHint): Promise<boolean> => {
    sink.writeHint(JSON.stringify(hint));
    return !sink.full || drained(sink, () => false, streams.limits.stallMs, signal);
  };
  for (;;) {
    try {
      for await (const hint of logs.hints(by, signal)) {
        if (signal.aborted) break;
        if (!(await send(hint)) && !signal.aborted) return { reason: 'dropped', after: 0 };
      }
      // The queue is closed before its readers are disconnected.
      return { reason: signal.aborted ? stopReason(signal) : 'restart', after: 0 };
    } catch {
      // The database watch logs the outage. The stream stays open (O5), and `all` makes up for
      // missed hints.
      await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await send({ all: true });
    }
  }
}
