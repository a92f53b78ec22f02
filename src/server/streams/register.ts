import { streamEndpoints } from '../../contract/api/streams.ts';
import type { RequestAuthenticator } from '../auth.ts';
import { addCompatStreams } from '../compat/streams.ts';
import type { Places } from '../limits/places.ts';
import type { Api } from '../route.ts';
import { limitDownloads } from './downloads.ts';
import { followHints } from './hint-stream.ts';
import { addLog, begin } from './log-route.ts';
import { OpenStreams, type StreamLimits, type StreamMetrics } from './open-streams.ts';
import { SSE_HEADERS } from './sse-sink.ts';
import { acceptWebSockets } from './websocket.ts';

export interface StreamOptions {
  /** For WebSockets, which do not come through the routes. */
  readonly auth: RequestAuthenticator;
  readonly limits?: Partial<StreamLimits>;
  /** Where open streams of a user are counted. */
  readonly places?: Places;
  readonly metrics?: StreamMetrics;
}

/** Adds the streams of the API. `close` ends those that are open, and comes with the app's own. */
export function registerStreams(api: Api, options: StreamOptions): OpenStreams {
  const { authenticator } = options.auth;
  const { limits, metrics, places } = options;
  const streams = new OpenStreams(api.app.log, authenticator, limits, metrics, places);
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
  acceptWebSockets(api, streams, options.auth, options.metrics);
  const unlisten = authenticator.onChange(() => streams.accessChanged());
  api.app.addHook('preClose', () => {
    unlisten();
    return streams.close();
  });
  return streams;
}
