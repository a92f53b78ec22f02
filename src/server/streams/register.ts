import { streamEndpoints } from '../../contract/api/streams.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';
import type { MessageService } from '../../sessions/messages/message-service.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import { addCompatStreams } from '../compat/streams.ts';
import type { Slots } from '../limits/slots.ts';
import type { RequestAuthenticator } from '../request-authenticator.ts';
import type { Api } from '../route.ts';
import { limitDownloads } from './downloads.ts';
import { followHints } from './hint-stream.ts';
import { addLog, begin } from './log-route.ts';
import { OpenStreams, type StreamLimits, type StreamMetrics } from './open-streams.ts';
import { SSE_HEADERS } from './sse-sink.ts';
import { acceptWebSockets, type HostBoundSocket } from './websocket.ts';

interface Services {
  readonly logs: LogService;
  readonly messages: MessageService;
  readonly runs: RunService;
}

export interface StreamOptions {
  /** Authenticates WebSockets, which do not go through the routes. */
  readonly auth: RequestAuthenticator;
  readonly limits?: Partial<StreamLimits>;
  /** Where each user's open streams are counted. */
  readonly slots?: Slots;
  readonly metrics?: StreamMetrics;
  readonly hostBound?: readonly HostBoundSocket[];
}

/** Adds the streams of the API. Closing the app also closes the open streams. */
export function registerStreams(
  api: Api,
  services: () => Services,
  options: StreamOptions,
): OpenStreams {
  const { authenticator } = options.auth;
  const { limits, metrics, slots } = options;
  const streams = new OpenStreams(api.app.log, authenticator, limits, metrics, slots);
  const { sessionEvents, runEvents, hints } = streamEndpoints;

  addLog(api, services, streams, sessionEvents, 'ofSession');
  addLog(api, services, streams, runEvents, 'ofRun');

  api.add(hints, async ({ by, reply }) => {
    await followHints(services().logs, streams, by, () => begin(reply, streams.limits));
    return reply as never;
  });
  const config = { pattern: hints.path, needs: hints.needs };
  api.app.head(hints.path, { config }, async (_request, reply) =>
    reply.headers(SSE_HEADERS).send(),
  );

  addCompatStreams(api, services, streams);
  limitDownloads(api, services, streams);
  acceptWebSockets(api, services, streams, options.auth, options.hostBound ?? [], metrics);
  const unlisten = authenticator.onChange(() => streams.accessChanged());
  api.app.addHook('preClose', () => {
    unlisten();
    return streams.close();
  });
  return streams;
}
