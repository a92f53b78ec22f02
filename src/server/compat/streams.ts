import { schedulerEndpoints } from '../../contract/api/compat-scheduler.ts';
import { webEndpoints } from '../../contract/api/compat-web.ts';
import type { Api } from '../route.ts';
import { followLog } from '../streams/follow-log.ts';
import { addLog, begin } from '../streams/log-route.ts';
import type { OpenStreams } from '../streams/open-streams.ts';

/** The streams described in the source documents. */
export function addCompatStreams(api: Api, streams: OpenStreams): void {
  const { schedulerSessionEvents } = schedulerEndpoints;
  const { webRunEvents, webChat } = webEndpoints;

  addLog(api, streams, schedulerSessionEvents, (service, by, id) => service.sessionLog(by, id));
  addLog(api, streams, webRunEvents, (service, by, id) => service.runLog(by, id));

  api.add(webChat, async ({ by, params, body, idempotencyKey, reply }) => {
    const service = api.sessions();
    const target = await service.sessionLog(by, params.id);
    // The message is sent only once the stream has a slot: a refused request sends nothing.
    const narrow = async () => {
      const message = { message: body.message, onBusy: 'enqueue' } as const;
      const { runId } = await service.send(by, params.id, message, idempotencyKey);
      return { ...target, runId };
    };
    const reader = { by, target, after: 0, narrow };
    await followLog(service, streams, 'sse', reader, () => begin(reply, streams.limits));
    return reply as never;
  });
}
