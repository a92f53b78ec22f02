import type { AccessStore, Audited } from './access-store.ts';
import { auditService } from './audit-service.ts';
import { nodeService } from './nodes-service.ts';
import type { AccessService } from './service.ts';
import { tokenService } from './tokens-service.ts';
import { userService } from './users-service.ts';

export interface AccessParts {
  readonly store: AccessStore & Audited<AccessStore>;
  /** Where browsers reach this server, without a slash at the end. */
  readonly publicUrl: () => string;
  /** Takes secrets out of text that people wrote. */
  readonly mask: (text: string) => string;
}

/** Users, tokens, the audit log and the nodes: whose they are, what may be changed, what is noted. */
export const createAccess = (parts: AccessParts): AccessService => ({
  ...userService(parts),
  ...tokenService(parts),
  ...auditService(parts),
  ...nodeService(parts),
});
