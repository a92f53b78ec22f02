import type { Authorised } from '../../access/principal.ts';
import type { LogService, LogTarget } from '../../sessions/logs/log-service.ts';
import type { OpenStreams } from './open-streams.ts';
import { pump } from './pump.ts';
import { canStillRead } from './read-check.ts';
import type { Sink, StreamKind } from './sink.ts';

/** A reader with access to the log, and where it starts. */
export interface Reader {
  readonly by: Authorised<'read'>;
  readonly target: LogTarget;
  readonly after: number;
  /** Called once the stream has a slot; the stream then follows the result, not `target`. */
  readonly narrow?: () => Promise<LogTarget>;
}

/**
 * Opens a stream on a log and resolves when it is open. Any refusal happens before `open` is
 * called. The stream then continues in the background, and counts as a connection until it ends
 * (S3).
 */
export async function followLog(
  logs: LogService,
  streams: OpenStreams,
  kind: StreamKind,
  { by, target, after, narrow }: Reader,
  open: () => Sink | Promise<Sink>,
): Promise<void> {
  const leave = streams.enter(by.userId);
  let close = leave;
  try {
    const connection = await logs.connect(by, target.sessionId, kind);
    close = () => {
      connection.close();
      leave();
    };
    const followed = (await narrow?.()) ?? target;
    const sink = await open();
    const { stallMs } = streams.limits;
    const readCheck = canStillRead(streams.authenticator, logs, by, target.sessionId);
    void streams
      .run(sink, readCheck, (signal) =>
        pump(logs.follow(by, followed, after, signal), sink, { after, stallMs, signal }),
      )
      .finally(close);
  } catch (error) {
    close();
    throw error;
  }
}
