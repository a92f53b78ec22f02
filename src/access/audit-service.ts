import { BatonError } from '../contract/errors.ts';
import type { AccessStore } from './access-store.ts';
import { readPage, type Slice } from './page.ts';
import type { AccessService } from './service.ts';
import { toAuditEntry } from './views.ts';

export function auditService({
  store,
}: {
  readonly store: AccessStore;
}): Pick<AccessService, 'audit'> {
  return {
    async audit(_by, query) {
      const { userId, action, target, channel, from, to, ...page } = query;
      const read = ({ limit, cursor }: Slice) =>
        store.listAudit({
          limit,
          ...(cursor === undefined ? {} : { before: seqOf(cursor) }),
          ...(userId === undefined ? {} : { userId }),
          ...(action === undefined ? {} : { action }),
          ...(target === undefined ? {} : { target }),
          ...(channel === undefined ? {} : { channel }),
          ...(from === undefined ? {} : { from: Date.parse(from) }),
          ...(to === undefined ? {} : { to: Date.parse(to) }),
        });
      return readPage(page, read, toAuditEntry, ({ seq }) => String(seq));
    },
  };
}

function seqOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new BatonError('invalid_request', 'cursor: does not belong to this list', {
    details: { field: 'cursor' },
  });
}
