import type { FastifyReply } from 'fastify';
import type { Authorised } from '../../access/principal.ts';
import type { streamEndpoints } from '../../contract/api/streams.ts';
import type { LogService, LogTarget } from '../../sessions/logs/log-service.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import { readInput } from '../input.ts';
import { type Api, type Call, callerOf } from '../route.ts';
import { checkCursor, cursorOf } from './cursor.ts';
import { limitDownload } from './downloads.ts';
import { readEventPage } from './event-page.ts';
import { followLog } from './follow-log.ts';
import type { OpenStreams, StreamLimits } from './open-streams.ts';
import { canStillRead } from './read-check.ts';
import { SSE_HEADERS, SseSink } from './sse-sink.ts';

interface Services {
  readonly logs: LogService;
  readonly runs: RunService;
}

/** The number of events in one page of `?follow=false`. */
const PAGE = 100;

/** Any route that serves a log, like those in `streamEndpoints`. */
type LogEndpoint = typeof streamEndpoints.sessionEvents | typeof streamEndpoints.runEvents;
type LogCall = Call<LogEndpoint>;

/** Serves a log as a stream, or as a page of stored events (E2). */
export function addLog(
  api: Api,
  services: () => Services,
  streams: OpenStreams,
  endpoint: LogEndpoint,
  of: 'ofSession' | 'ofRun',
): void {
  const locate = async ({ by, params, query, request }: Omit<LogCall, 'reply'>) => {
    const after = cursorOf(request.headers, query.after);
    const target = await services().logs[of](by, params.id);
    checkCursor(target, after);
    return { by, target, after };
  };

  api.add(endpoint, async (call) => {
    const { logs, runs } = services();
    const reader = await locate(call);
    const { query, reply } = call;
    const { target, after } = reader;
    if (query.follow === false) {
      const { authenticator } = streams;
      const readCheck = canStillRead(authenticator, logs, call.by, target.sessionId);
      limitDownload(streams, call.by, reply, readCheck);
      const answer = await readEventPage(logs, target, after, query.limit ?? PAGE);
      return reply.type('application/json; charset=utf-8').send(answer) as never;
    }
    // The only status that keeps a browser from reconnecting.
    if (await isOver({ logs, runs }, call.by, target, after)) {
      return reply.code(204).removeHeader('content-type').send() as never;
    }
    await followLog(logs, streams, 'sse', reader, () => begin(reply, streams.limits));
    return reply as never;
  });

  // Responds like `GET`, without opening a stream.
  const config = { pattern: endpoint.path, needs: endpoint.needs };
  api.app.head(endpoint.path.replace('{id}', ':id'), { config }, async (request, reply) => {
    const input = readInput(endpoint, request);
    await locate({ ...input, by: callerOf(endpoint, request), request });
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
  { logs, runs }: Services,
  by: Authorised<'read'>,
  target: LogTarget,
  after: number,
): Promise<boolean> {
  if (target.runId === null || after === 0) return false;
  const { finishedAt } = await runs.get(by, target.runId);
  return finishedAt !== null && (await logs.events(target, after, 1)).length === 0;
}
