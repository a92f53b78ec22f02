import { accessEndpoints } from '../../contract/api/access.ts';
import { sessionEndpoints } from '../../contract/api/sessions.ts';
import { SessionAction } from '../../contract/session.ts';
import type { CostService } from '../../sessions/costs/cost-service.ts';
import type { HostService } from '../../sessions/host-service.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';
import type { MessageService } from '../../sessions/messages/message-service.ts';
import type { RunService } from '../../sessions/runs/run-service.ts';
import type { SessionService } from '../../sessions/session-service.ts';
import type { ShareService } from '../../sessions/share-service.ts';
import type { WorkspaceService } from '../../sessions/workspace-service.ts';
import { exportLines } from '../export.ts';
import { type Api, paged } from '../route.ts';

interface Services {
  readonly costs: CostService;
  readonly hosts: HostService;
  readonly logs: LogService;
  readonly messages: MessageService;
  readonly runs: RunService;
  readonly sessions: SessionService;
  readonly shares: ShareService;
  readonly workspaces: WorkspaceService;
}

export function addSessionRoutes({ add }: Api, services: () => Services): void {
  const at = sessionEndpoints;

  add(at.listSessions, async (call) =>
    paged(call, await services().sessions.list(call.by, call.query)),
  );
  add(at.listByStatus, async (call) =>
    paged(call, await services().sessions.list(call.by, { ...call.query, ...call.params })),
  );
  add(at.listByTag, async (call) =>
    paged(call, await services().sessions.list(call.by, { ...call.query, ...call.params })),
  );
  add(at.searchSessions, async (call) =>
    paged(call, await services().sessions.list(call.by, call.query)),
  );

  add(at.createSession, async ({ by, body }) => services().sessions.create(by, body));
  add(at.getSession, async ({ by, params }) => services().sessions.get(by, params.id));
  add(at.updateSession, async ({ by, params, body }) =>
    services().sessions.update(by, params.id, body),
  );
  add(at.deleteSession, async ({ by, params, query }) => {
    if (query.archive === true) {
      await services().sessions.act(by, params.id, 'archive', at.deleteSession.level);
    } else await services().sessions.remove(by, params.id);
  });
  for (const action of SessionAction.options) {
    add(at[action], async ({ by, params }) => services().sessions.act(by, params.id, action));
  }
  add(at.fork, async ({ by, params, body }) => services().sessions.fork(by, params.id, body));
  add(at.moveSession, async ({ by, params, body }) => services().hosts.move(by, params.id, body));
  add(at.getCost, async ({ by, params }) => services().costs.ofSession(by, params.id));
  add(at.listWorkspaces, async ({ by, params }) => services().workspaces.list(by, params.id));
  add(at.getArtefact, async ({ by, params }) =>
    services().workspaces.artefact(by, params.id, params.name),
  );
  add(at.syncStatus, async ({ by, params }) => services().workspaces.syncStatus(by, params.id));
  add(at.exportSession, async ({ by, params }) => exportLines(services(), by, params.id));
  add(at.sendMessage, async ({ by, params, body, idempotencyKey }) =>
    services().messages.send(by, params.id, body, idempotencyKey),
  );
  add(at.listSessionRuns, async ({ by, params, query }) =>
    services().runs.list(by, { ...query, sessionId: params.id }),
  );

  const { getShares, putShares } = accessEndpoints;
  add(getShares, async ({ by, params }) => ({
    items: await services().shares.list(by, params.id),
  }));
  add(putShares, async ({ by, params, body }) => ({
    items: await services().shares.put(by, params.id, body),
  }));
}
