import { schedulerEndpoints } from '../../contract/api/compat-scheduler.ts';
import { webEndpoints } from '../../contract/api/compat-web.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';
import type { MessageService } from '../../sessions/messages/message-service.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import type { Api } from '../route.ts';
import { followLog } from '../streams/follow-log.ts';
import { addLog, begin } from '../streams/log-route.ts';
import type { OpenStreams } from '../streams/open-streams.ts';

interface Services {
  readonly logs: LogService;
  readonly messages: MessageService;
  readonly runs: RunService;
}

/** The streams of both compatible APIs (docs/compat.md). */
export function addCompatStreams(api: Api, services: () => Services, streams: OpenStreams): void {
  const { schedulerSessionEvents } = schedulerEndpoints;
  const { webRunEvents, webChat } = webEndpoints;

  addLog(api, services, streams, schedulerSessionEvents, 'ofSession');
  addLog(api, services, streams, webRunEvents, 'ofRun');

  api.add(webChat, async ({ by, params, body, idempotencyKey, reply }) => {
    const { logs, messages } = services();
    const target = await logs.ofSession(by, params.id);
    // The message is sent only once the stream has a slot: a refused request sends nothing.
    const narrow = async () => {
      const message = { message: body.message, onBusy: 'enqueue' } as const;
      const { runId } = await messages.send(by, params.id, message, idempotencyKey);
      return { ...target, runId };
    };
    const reader = { by, target, after: 0, narrow };
    await followLog(logs, streams, 'sse', reader, () => begin(reply, streams.limits));
    return reply as never;
  });
}
