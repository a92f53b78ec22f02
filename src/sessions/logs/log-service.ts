import { ACCESS } from '../../access/access-store.ts';
import { onTopic } from '../../queue/hint.ts';
import type { Connections } from '../connections.ts';
import type { SessionService } from '../service.ts';
import { findRun, findSession, type ServiceParts } from '../service-parts.ts';
import { toHint } from '../views.ts';
import { SessionCache } from './session-cache.ts';

type LogService = Pick<
  SessionService,
  'sessionLog' | 'runLog' | 'events' | 'follow' | 'hints' | 'connect'
>;

/** The logs of sessions and runs: reading them, following them, and registering followers. */
export function logService(parts: ServiceParts, connections: Connections): LogService {
  const { store, queue } = parts;
  const cache = new SessionCache(store);
  // Readers may see other sessions than before, so they load all of them again.
  onTopic(store, ACCESS, () => {
    cache.clear();
    queue.hintAll();
  });
  return {
    async sessionLog(by, id) {
      const { lastSeq } = await findSession(parts, by, id, 'view');
      return { sessionId: id, runId: null, lastSeq };
    },

    async runLog(by, runId) {
      const run = await findRun(parts, by, runId, 'view');
      const lane = await queue.getLane(run.lane);
      return { sessionId: run.lane, runId, lastSeq: (lane?.nextSeq ?? 1) - 1 };
    },

    events: ({ sessionId, runId }, after, limit) =>
      queue.events(sessionId, { after, limit, ...(runId === null ? {} : { runId }) }),

    follow: ({ sessionId, runId }, after, signal) =>
      queue.tail(sessionId, { after, signal, ...(runId === null ? {} : { runId }) }),

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
