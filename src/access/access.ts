import type { Logger } from '../queue/logger.ts';
import type { StopStore } from '../queue/store.ts';
import type { AccessStore, Audited } from './access-store.ts';
import { auditService } from './audit-service.ts';
import type { AccessService } from './service.ts';
import { stopService } from './stop-service.ts';
import { tokenService } from './tokens-service.ts';
import { userService } from './users-service.ts';

type Ports = AccessStore & StopStore;

export interface AccessParts {
  readonly store: Ports & Audited<Ports>;
  readonly log: Logger;
  /** The URL at which browsers reach this server, without a trailing slash. */
  readonly publicUrl: () => string;
  /** Masks secrets in text that people wrote. */
  readonly mask: (text: string) => string;
}

/** The access service: checks ownership and what may change, and writes the audit log. */
export const createAccess = (parts: AccessParts): AccessService => ({
  ...userService(parts),
  ...tokenService(parts),
  ...auditService(parts),
  nodes: () => parts.store.listNodeViews(),
  ...stopService(parts),
});
