import type { AuditService } from '../../access/audit-service.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { TokenService } from '../../access/token-service.ts';
import type { UserService } from '../../access/user-service.ts';
import { accessEndpoints } from '../../contract/api/access.ts';
import { auditLines } from '../audit-export.ts';
import type { Api } from '../route.ts';

interface Services {
  readonly audit: AuditService;
  readonly tokens: TokenService;
  readonly users: UserService;
}

/** Shares are not handled here, because they belong to sessions. */
export function addAccessRoutes({ add }: Api, services: () => Services): void {
  const at = accessEndpoints;
  add(at.getMe, async ({ by }) => services().users.me(by));

  add(at.listUsers, async ({ by, query }) => services().users.list(by, query));
  add(at.createUser, async ({ by, body }) => services().users.create(by, body));
  add(at.getUser, async ({ by, params }) => services().users.get(by, params.id));
  add(at.updateUser, async ({ by, params, body }) => services().users.update(by, params.id, body));
  add(at.createSignInLink, async ({ by, params }) =>
    services().users.createSignInLink(by, params.id),
  );
  add(at.signOutUser, async ({ by, params }) => services().users.signOut(by, params.id));

  add(at.listTokens, async ({ by, query }) => services().tokens.list(by, query));
  add(at.createToken, async ({ by, body }) => services().tokens.create(by, body));
  add(at.revokeToken, async ({ by, params }) => services().tokens.revoke(by, params.id));

  add(at.listAudit, async ({ by, query }) => services().audit.list(by, query));
  add(at.exportAudit, async ({ by, query: { ticket: _, ...filter } }) =>
    auditLines(services().audit, by, filter),
  );
}

/**
 * This route is added separately, because it is the authenticator that issues and accepts tickets.
 */
export function addTicketRoute(
  { add }: Api,
  authenticator: Pick<Authenticator, 'createTicket'>,
): void {
  add(accessEndpoints.createTicket, async ({ by, body }) =>
    authenticator.createTicket(by, body.path),
  );
}
