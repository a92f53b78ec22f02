import { accessEndpoints } from '../../contract/api/access.ts';
import { sessionEndpoints } from '../../contract/api/sessions.ts';
import { SessionAction } from '../../contract/session.ts';
import { exportLines } from '../export.ts';
import { type Api, paged } from '../route.ts';

export function addSessionRoutes({ add, sessions }: Api): void {
  const at = sessionEndpoints;

  add(at.listSessions, async (call) => paged(call, await sessions().list(call.by, call.query)));
  add(at.listByStatus, async (call) =>
    paged(call, await sessions().list(call.by, { ...call.query, ...call.params })),
  );
  add(at.listByTag, async (call) =>
    paged(call, await sessions().list(call.by, { ...call.query, ...call.params })),
  );
  add(at.searchSessions, async (call) => paged(call, await sessions().list(call.by, call.query)));

  add(at.createSession, async ({ by, body }) => sessions().create(by, body));
  add(at.getSession, async ({ by, params }) => sessions().get(by, params.id));
  add(at.updateSession, async ({ by, params, body }) => sessions().update(by, params.id, body));
  add(at.deleteSession, async ({ by, params, query }) => {
    if (query.archive === true) {
      await sessions().act(by, params.id, 'archive', at.deleteSession.level);
    } else await sessions().remove(by, params.id);
  });
  for (const action of SessionAction.options) {
    add(at[action], async ({ by, params }) => sessions().act(by, params.id, action));
  }
  add(at.fork, async ({ by, params, body }) => sessions().fork(by, params.id, body));
  add(at.moveSession, async ({ by, params, body }) => sessions().move(by, params.id, body));
  add(at.getCost, async ({ by, params }) => sessions().cost(by, params.id));
  add(at.listWorkspaces, async ({ by, params }) => sessions().workspaces(by, params.id));
  add(at.getArtefact, async ({ by, params }) => sessions().artefact(by, params.id, params.name));
  add(at.syncStatus, async ({ by, params }) => sessions().syncStatus(by, params.id));
  add(at.exportSession, async ({ by, params }) => exportLines(sessions(), by, params.id));
  add(at.sendMessage, async ({ by, params, body, idempotencyKey }) =>
    sessions().send(by, params.id, body, idempotencyKey),
  );
  add(at.listSessionRuns, async ({ by, params, query }) =>
    sessions().listRuns(by, { ...query, sessionId: params.id }),
  );

  const { getShares, putShares } = accessEndpoints;
  add(getShares, async ({ by, params }) => ({ items: await sessions().shares(by, params.id) }));
  add(putShares, async ({ by, params, body }) => ({
    items: await sessions().share(by, params.id, body),
  }));
}
