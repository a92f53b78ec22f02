import { RIGHTS_OF, type Right, type Role } from '../contract/access.ts';
import type { AuditAction, AuditEntry } from '../contract/audit.ts';
import type { Channel } from '../contract/message.ts';
import type { Json } from '../contract/values/json.ts';

/**
 * Who is acting. The authenticator derives the principal from the credential, never from a request
 * body.
 */
export interface Principal {
  readonly userId: string;
  readonly role: Role;
  readonly channel: Channel;
  /**
   * Other channels through which the credential was created. The enforced rules of these channels
   * also apply to the credential (P1).
   */
  readonly through?: readonly Channel[];
  /** The rights that a token is limited to; if missing, the token has all rights of the role. */
  readonly scopes?: readonly Right[];
  /** The credential's name: `admin`, `token:<id>`, `cookie:<id>` or `code`. */
  readonly credential?: string;
  /** The client's network address. */
  readonly address?: string;
  readonly requestId?: string;
}

declare const checked: unique symbol;

/**
 * A principal whose rights have been checked. Only `requireRight` and `may` create such a principal
 * (require-right.ts explains why).
 */
export type Authorised<R extends Right> = Principal & {
  readonly [checked]: { readonly [Each in R]: true };
};

/**
 * A principal for whom `R` has been checked. If `R` is a union, only one of its rights was checked,
 * and the compiler does not know which; so this proves only what each of them would prove.
 */
export type Holder<R extends Right> = R extends Right ? Authorised<R> : never;

export const rightsOf = ({ role, scopes }: Principal): Right[] =>
  RIGHTS_OF[role].filter((right) => scopes?.includes(right) ?? true);

export const may = <R extends Right>(by: Principal, right: R): by is Holder<R> =>
  RIGHTS_OF[by.role].includes(right) && (by.scopes?.includes(right) ?? true);

/**
 * Admins see everything. A token without the scope `admin` does not count as an admin, even if it
 * belongs to an admin.
 */
export const isAdmin = (by: Principal): boolean => may(by, 'admin');

/**
 * The value of `through` for a new credential for `channel` that this principal creates. Empty for
 * admins, who could change the rules themselves.
 */
export const throughOf = (by: Principal, channel: Channel): Channel[] =>
  isAdmin(by)
    ? []
    : [...new Set([by.channel, ...(by.through ?? [])])].filter((each) => each !== channel);

/** A line of the audit log before the database has assigned its seq and time. */
export type NewAuditEntry = Omit<AuditEntry, 'seq' | 'at'>;

/** The audit line for an action by `by`; `details` are small and already masked by the caller. */
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
