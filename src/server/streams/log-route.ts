import type { FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import type { streamEndpoints } from '../../contract/api/streams.ts';
import type { LogTarget, SessionService } from '../../sessions/service.ts';
import { readInput } from '../input.ts';
import type { Api, Call } from '../route.ts';
import { checkCursor, cursorOf } from './cursor.ts';
import { limitDownload } from './downloads.ts';
import { readEventPage } from './event-page.ts';
import { followLog } from './follow-log.ts';
import type { OpenStreams, StreamLimits } from './open-streams.ts';
import { SSE_HEADERS, SseSink } from './sse-sink.ts';

/** Events in one page of `?follow=false`. */
const PAGE = 100;

/** Any route that serves a log, like those in `streamEndpoints`. */
type LogEndpoint = typeof streamEndpoints.sessionEvents | typeof streamEndpoints.runEvents;
type LogCall = Call<LogEndpoint>;
type FindLog = (service: SessionService, by: Principal, id: string) => Promise<LogTarget>;

/** Serves a log as a stream, or as a page of stored events (E2). */
export function addLog(api: Api, streams: OpenStreams, endpoint: LogEndpoint, find: FindLog): void {
  const locate = async ({ by, params, query, request }: Omit<LogCall, 'reply'>) => {
    const after = cursorOf(request.headers, query.after);
    const target = await find(api.sessions(), by, params.id);
    checkCursor(target, after);
    return { by, target, after };
  };

  api.add(endpoint, async (call) => {
    const service = api.sessions();
    const reader = await locate(call);
    const { query, reply } = call;
    const { target, after } = reader;
    if (query.follow === false) {
      limitDownload(streams, call.by, reply);
      const answer = await readEventPage(service, target, after, query.limit ?? PAGE);
      return reply.type('application/json; charset=utf-8').send(answer) as never;
    }
    // The only status that keeps a browser from reconnecting.
    if (await isOver(service, call.by, target, after)) {
      return reply.code(204).removeHeader('content-type').send() as never;
    }
    await followLog(service, streams, 'sse', reader, () => begin(reply, streams.limits));
    return reply as never;
  });

  // Answers like `GET`, without opening a stream.
  const config = { pattern: endpoint.path, needs: endpoint.needs };
  api.app.head(endpoint.path.replace('{id}', ':id'), { config }, async (request, reply) => {
    const input = readInput(endpoint, request);
    await locate({ ...input, by: request.principal as Principal, request });
    return reply.headers(SSE_HEADERS).send();
  });
}

/** Takes over the response from Fastify and sends the headers. */
export function begin(reply: FastifyReply, limits: StreamLimits): SseSink {
  reply.hijack();
  const sink = new SseSink(reply.raw, limits);
  sink.begin(reply.getHeaders());
  return sink;
}

/** Whether the run has ended and its reader has seen all of it. */
async function isOver(
  service: SessionService,
  by: Principal,
  target: LogTarget,
  after: number,
): Promise<boolean> {
  if (target.runId === null || after === 0) return false;
  const { finishedAt } = await service.getRun(by, target.runId);
  return finishedAt !== null && (await service.events(target, after, 1)).length === 0;
}
