import type { AccessService, Authenticator } from '../../access/service.ts';
import { accessEndpoints } from '../../contract/api/access.ts';
import { auditLines } from '../audit-export.ts';
import type { Api } from '../route.ts';

/** Shares are not here: they belong to sessions. */
export function addAccessRoutes({ add }: Api, access: () => AccessService): void {
  const at = accessEndpoints;
  add(at.getMe, async ({ by }) => access().me(by));

  add(at.listUsers, async ({ by, query }) => access().listUsers(by, query));
  add(at.createUser, async ({ by, body }) => access().createUser(by, body));
  add(at.getUser, async ({ by, params }) => access().getUser(by, params.id));
  add(at.updateUser, async ({ by, params, body }) => access().updateUser(by, params.id, body));
  add(at.createSignInLink, async ({ by, params }) => access().createSignInLink(by, params.id));
  add(at.signOutUser, async ({ by, params }) => access().signOutUser(by, params.id));

  add(at.listTokens, async ({ by, query }) => access().listTokens(by, query));
  add(at.createToken, async ({ by, body }) => access().createToken(by, body));
  add(at.revokeToken, async ({ by, params }) => access().revokeToken(by, params.id));

  add(at.listAudit, async ({ by, query }) => access().audit(by, query));
  add(at.exportAudit, async ({ by, query: { ticket: _, ...filter } }) =>
    auditLines(access(), by, filter),
  );
}

/** Separate, because it is the authenticator that issues and accepts tickets. */
export function addTicketRoute(
  { add }: Api,
  authenticator: Pick<Authenticator, 'createTicket'>,
): void {
  add(accessEndpoints.createTicket, async ({ by, body }) =>
    authenticator.createTicket(by, body.path),
  );
}
