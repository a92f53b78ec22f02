import { RIGHTS_OF, type Right, type Role } from '../contract/access.ts';
import type { AuditAction, AuditEntry } from '../contract/audit.ts';
import type { Json } from '../contract/json.ts';
import type { Channel } from '../contract/message.ts';

/** Who asks. Made from the credential by whoever lets people in, never from a body. */
export interface Principal {
  readonly userId: string;
  readonly role: Role;
  readonly channel: Channel;
  /** Other channels that the credential was made through: what they enforce binds it, too (P1). */
  readonly through?: readonly Channel[];
  /** Of a token: what it is limited to. Without it, all that the role may. */
  readonly scopes?: readonly Right[];
  /** What they showed: `admin`, `token:<id>`, `cookie:<id>` or `code`. */
  readonly credential?: string;
  /** Where the request came from. */
  readonly address?: string;
  readonly requestId?: string;
}

export const rightsOf = ({ role, scopes }: Principal): Right[] =>
  RIGHTS_OF[role].filter((right) => scopes?.includes(right) ?? true);

export const may = ({ role, scopes }: Principal, right: Right): boolean =>
  RIGHTS_OF[role].includes(right) && (scopes?.includes(right) ?? true);

/** Sees everything. An admin's token without that scope is a person like others. */
export const isAdmin = (by: Principal): boolean => may(by, 'admin');

/**
 * What a credential for `channel` is made through, if it is made with this one. An admin's is free of
 * it: they could change the rules themselves.
 */
export const throughOf = (by: Principal, channel: Channel): Channel[] =>
  isAdmin(by)
    ? []
    : [...new Set([by.channel, ...(by.through ?? [])])].filter((each) => each !== channel);

/** A line of the audit log before the database has given it its place and time. */
export type NewAuditEntry = Omit<AuditEntry, 'seq' | 'at'>;

/** What `by` does to a target, for the audit log; `details` are small, and masked by the caller. */
export const entryOf = (
  by: Principal,
  action: AuditAction,
  target: AuditEntry['target'],
  details: { readonly before?: Json; readonly after?: Json } = {},
): NewAuditEntry => ({
  userId: by.userId,
  channel: by.channel,
  credential: by.credential ?? '',
  address: by.address ?? '',
  requestId: by.requestId ?? null,
  action,
  target,
  before: details.before ?? null,
  after: details.after ?? null,
});
