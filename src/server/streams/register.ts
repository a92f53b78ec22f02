import { streamEndpoints } from '../../contract/api/streams.ts';
import type { RequestAuthenticator } from '../auth.ts';
import { addCompatStreams } from '../compat/streams.ts';
import type { Slots } from '../limits/slots.ts';
import type { Api } from '../route.ts';
import { limitDownloads } from './downloads.ts';
import { followHints } from './hint-stream.ts';
import { addLog, begin } from './log-route.ts';
import { OpenStreams, type StreamLimits, type StreamMetrics } from './open-streams.ts';
import { SSE_HEADERS } from './sse-sink.ts';
import { acceptWebSockets, type HostBoundSocket } from './websocket.ts';

export interface StreamOptions {
  /** For WebSockets, which do not go through the routes. */
  readonly auth: RequestAuthenticator;
  readonly limits?: Partial<StreamLimits>;
  /** Where the open streams of each user are counted. */
  readonly slots?: Slots;
  readonly metrics?: StreamMetrics;
  readonly hostBound?: readonly HostBoundSocket[];
}

/** Adds the streams of the API. Closing the app also closes the open streams. */
export function registerStreams(api: Api, options: StreamOptions): OpenStreams {
  const { authenticator } = options.auth;
  const { limits, metrics, slots } = options;
  const streams = new OpenStreams(api.app.log, authenticator, limits, metrics, slots);
  const { sessionEvents, runEvents, hints } = streamEndpoints;

  addLog(api, streams, sessionEvents, (service, by, id) => service.sessionLog(by, id));
  addLog(api, streams, runEvents, (service, by, id) => service.runLog(by, id));

  api.add(hints, async ({ by, reply }) => {
    await followHints(api.sessions(), streams, by, () => begin(reply, streams.limits));
    return reply as never;
  });
  const config = { pattern: hints.path, needs: hints.needs };
  api.app.head(hints.path, { config }, async (_request, reply) =>
    reply.headers(SSE_HEADERS).send(),
  );

  addCompatStreams(api, streams);
  limitDownloads(api.app, streams);
  acceptWebSockets(api, streams, options.auth, options.hostBound ?? [], metrics);
  const unlisten = authenticator.onChange(() => streams.accessChanged());
  api.app.addHook('preClose', () => {
    unlisten();
    api.forwarder?.closeTunnels();
    return streams.close();
  });
  return streams;
}
