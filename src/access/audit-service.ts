import type { accessEndpoints } from '../contract/api/access.ts';
import type { QueryOf } from '../contract/api/endpoint.ts';
import type { AuditEntry } from '../contract/audit.ts';
import { BatonError } from '../contract/errors.ts';
import { defined } from '../contract/functions/defined.ts';
import type { AccessStore } from './access-store.ts';
import { type Page, readPage, type Slice } from './page.ts';
import type { Authorised } from './principal.ts';
import { toAuditEntry } from './views.ts';

export type AuditQuery = QueryOf<typeof accessEndpoints.listAudit>;

/** The audit log. */
export interface AuditService {
  list(by: Authorised<'admin'>, query: AuditQuery): Promise<Page<AuditEntry>>;
}

export function auditService(store: Pick<AccessStore, 'listAudit'>): AuditService {
  return {
    async list(by, query) {
      const { userId, action, target, channel, from, to, ...page } = query;
      const read = ({ limit, cursor }: Slice) =>
        store.listAudit({
          limit,
          ...(cursor === undefined ? {} : { before: seqOf(cursor) }),
          ...defined({ userId, action, target, channel }),
          ...(from === undefined ? {} : { from: Date.parse(from) }),
          ...(to === undefined ? {} : { to: Date.parse(to) }),
        });
      return readPage(by, page, read, toAuditEntry, ({ seq }) => String(seq));
    },
  };
}

function seqOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new BatonError('invalid_request', 'cursor: does not belong to this list', {
    details: { field: 'cursor' },
  });
}
