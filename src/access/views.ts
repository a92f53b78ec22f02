import type { Token, User } from '../contract/access.ts';
import type { AuditEntry } from '../contract/audit.ts';
import { toTime, toTimeOrNull } from '../contract/values/time.ts';
import type { AuditRecord, TokenRecord, UserRecord } from './access-store.ts';

/* Converts rows to what the API returns. */

export const toUser = ({ createdAt, disabledAt, ...rest }: UserRecord): User => ({
  ...rest,
  createdAt: toTime(createdAt),
  disabledAt: toTimeOrNull(disabledAt),
});

export const toToken = ({ through: _, ...record }: TokenRecord): Token => ({
  ...record,
  scopes: [...record.scopes],
  createdAt: toTime(record.createdAt),
  expiresAt: toTimeOrNull(record.expiresAt),
  lastUsedAt: toTimeOrNull(record.lastUsedAt),
  revokedAt: toTimeOrNull(record.revokedAt),
});

export const toAuditEntry = (record: AuditRecord): AuditEntry => ({
  ...record,
  at: toTime(record.at),
});
