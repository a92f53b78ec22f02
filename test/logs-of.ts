import { BatonError } from '../src/contract/errors.ts';
import type { RunView } from '../src/contract/run-view.ts';
import type { RunQueue } from '../src/queue/run-queue.ts';
import type { SessionService } from '../src/sessions/service.ts';

/** The part of the service that streams need, over the logs of a queue alone. */
export function logsOf(queue: RunQueue, connected: Set<object>): SessionService {
  const lastSeq = async (lane: string): Promise<number> => {
    const found = await queue.getLane(lane);
    if (found === null) throw new BatonError('not_found');
    return found.nextSeq - 1;
  };
  const runOf = async (id: string) => {
    const run = await queue.get(id);
    if (run === null) throw new BatonError('not_found');
    return run;
  };
  const part: Partial<SessionService> = {
    sessionLog: async (_by, id) => ({ sessionId: id, runId: null, lastSeq: await lastSeq(id) }),
    runLog: async (_by, runId) => {
      const { lane } = await runOf(runId);
      return { sessionId: lane, runId, lastSeq: await lastSeq(lane) };
    },
    getRun: async (_by, id) => ({ finishedAt: (await runOf(id)).finishedAt }) as unknown as RunView,
    events: ({ sessionId, runId }, after, limit) =>
      queue.events(sessionId, { after, limit, ...(runId === null ? {} : { runId }) }),
    follow: ({ sessionId, runId }, after, signal) =>
      queue.tail(sessionId, { after, signal, ...(runId === null ? {} : { runId }) }),
    async *hints(_by, signal) {
      for await (const growth of queue.hints({ signal })) {
        if ('all' in growth) yield { all: true };
        else yield { sessionId: growth.lane, lastSeq: growth.lastSeq, status: 'ACTIVE' };
      }
    },
    connect: async () => {
      const connection = { close: () => void connected.delete(connection) };
      connected.add(connection);
      return connection;
    },
  };
  return part as SessionService;
}
