import { ACCESS } from '../../access/access-store.ts';
import type { Authorised, Principal } from '../../access/principal.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { LogEvent } from '../../contract/event.ts';
import type { SessionHint } from '../../contract/session-event.ts';
import type { Tail } from '../../queue/follow/tail.ts';
import { onTopic } from '../../queue/hint.ts';
import type { Connection, Connections } from '../connections.ts';
import { findRun, findSession } from '../find-session.ts';
import type { ServiceParts } from '../service-parts.ts';
import { toHint } from '../views.ts';
import { SessionCache } from './session-cache.ts';

/** A log to read or follow: the log of a whole session, or of only one run. */
export interface LogTarget {
  readonly sessionId: string;
  readonly runId: string | null;
  /** The last seq of the log; a cursor past it is invalid. */
  readonly lastSeq: number;
}

/** The logs of sessions and runs: reading them, following them, and registering followers. */
export interface LogService {
  ofSession(by: Authorised<'read'>, id: string): Promise<LogTarget>;
  ofRun(by: Authorised<'read'>, runId: string): Promise<LogTarget>;
  /**
   * Whether the session is the caller's or shared with them. Requires no right, because nothing is
   * read from the session.
   */
  canSee(by: Principal, id: string): Promise<boolean>;
  /** Access is not checked again: only callers who may read a log are given its target. */
  events(target: LogTarget, after: number, limit: number): Promise<LogEvent[]>;
  follow(by: Authorised<'read'>, target: LogTarget, after: number, signal: AbortSignal): Tail;
  hints(by: Authorised<'read'>, signal: AbortSignal): AsyncIterable<SessionHint>;
  connect(by: Authorised<'read'>, sessionId: string, kind: 'sse' | 'ws'): Promise<Connection>;
}

export function logService(
  parts: Pick<ServiceParts, 'store' | 'queue'>,
  connections: Connections,
): LogService {
  const { store, queue } = parts;
  const cache = new SessionCache(store);
  // Readers may now see different sessions, so they load all of them again.
  onTopic(store, ACCESS, () => {
    cache.clear();
    queue.hintAll();
  });
  return {
    async ofSession(by, id) {
      const { lastSeq } = await findSession(parts, by, id, 'view');
      return { sessionId: id, runId: null, lastSeq };
    },

    async canSee(by, id) {
      try {
        await findSession(parts, by, id, 'view');
        return true;
      } catch (error) {
        if (isBatonError(error, 'not_found') || isBatonError(error, 'forbidden')) return false;
        throw error;
      }
    },

    async ofRun(by, runId) {
      const run = await findRun(parts, by, runId, 'view');
      const lane = await queue.getLane(run.lane);
      return { sessionId: run.lane, runId, lastSeq: (lane?.nextSeq ?? 1) - 1 };
    },

    events: ({ sessionId, runId }, after, limit) =>
      queue.events(sessionId, { after, limit, ...(runId === null ? {} : { runId }) }),

    follow: ({ userId: reader }, { sessionId, runId }, after, signal) =>
      queue.tail(sessionId, { after, signal, reader, ...(runId === null ? {} : { runId }) }),

    async *hints(by, signal) {
      for await (const growth of queue.hints({ signal })) {
        if ('all' in growth) {
          yield { all: true };
          continue;
        }
        const current = await cache.find(by, growth.lane, growth.lastSeq);
        if (current === null) continue;
        yield toHint(current);
      }
    },

    connect: (by, sessionId, kind) => connections.open(sessionId, by.userId, kind),
  };
}
