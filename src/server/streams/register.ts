import type { FastifyReply } from 'fastify';
import type { Principal } from '../../access/principal.ts';
import { streamEndpoints } from '../../contract/api/streams.ts';
import type { LogTarget, SessionService } from '../../sessions/service.ts';
import type { Authenticator } from '../auth.ts';
import { readInput } from '../input.ts';
import type { Api, Call } from '../route.ts';
import { checkCursor, cursorOf } from './cursor.ts';
import { followLog } from './follow-log.ts';
import { pumpHints } from './hint-stream.ts';
import { OpenStreams, type StreamLimits, type StreamMetrics } from './open-streams.ts';
import { readPage } from './page.ts';
import { SSE_HEADERS, SseSink } from './sse-sink.ts';
import { acceptWebSockets } from './websocket.ts';

/** Events in one page of `?follow=false`. */
const PAGE = 100;

export interface StreamOptions {
  /** For WebSockets, which do not come through the routes. */
  readonly authenticator: Authenticator;
  readonly limits?: Partial<StreamLimits>;
  readonly metrics?: StreamMetrics;
}

type LogEndpoint = typeof streamEndpoints.sessionEvents | typeof streamEndpoints.runEvents;
type LogCall = Call<LogEndpoint>;
type FindLog = (service: SessionService, by: Principal, id: string) => Promise<LogTarget>;

/** Adds the streams of the API. `close` ends those that are open, and comes with the app's own. */
export function registerStreams(api: Api, options: StreamOptions): OpenStreams {
  const streams = new OpenStreams(api.app.log, options.limits, options.metrics);
  const { sessionEvents, runEvents, hints } = streamEndpoints;

  addLog(api, streams, sessionEvents, (service, by, id) => service.sessionLog(by, id));
  addLog(api, streams, runEvents, (service, by, id) => service.runLog(by, id));

  api.add(hints, async ({ by, reply }) => {
    const service = api.sessions();
    const leave = streams.enter(by.userId);
    const sink = begin(reply, streams.limits);
    void streams
      .run(sink, (signal) => pumpHints(service, by, sink, streams, signal))
      .finally(leave);
    return reply as never;
  });
  api.app.head(hints.path, async (_request, reply) => reply.headers(SSE_HEADERS).send());

  acceptWebSockets(api, streams, options.authenticator);
  api.app.addHook('preClose', () => streams.close());
  return streams;
}

function addLog(api: Api, streams: OpenStreams, endpoint: LogEndpoint, find: FindLog): void {
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
      const answer = await readPage(service, target, after, query.limit ?? PAGE);
      return reply.type('application/json; charset=utf-8').send(answer) as never;
    }
    // The one answer that keeps a browser from coming again.
    if (await isOver(service, call.by, target, after)) {
      return reply.code(204).removeHeader('content-type').send() as never;
    }
    await followLog(service, streams, 'sse', reader, () => begin(reply, streams.limits));
    return reply as never;
  });

  // What a `GET` would answer, without opening a stream.
  api.app.head(endpoint.path.replace('{id}', ':id'), async (request, reply) => {
    const input = readInput(endpoint, request);
    await locate({ ...input, by: request.principal as Principal, request });
    return reply.headers(SSE_HEADERS).send();
  });
}

/** Takes the response from the framework and sends the headers. */
function begin(reply: FastifyReply, limits: StreamLimits): SseSink {
  reply.hijack();
  const sink = new SseSink(reply.raw, limits);
  sink.begin(reply.getHeaders());
  return sink;
}

/** The run has ended, and its reader has seen all of it. */
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
