import type { Right, Role, ShareLevel } from '../contract/access.ts';
import type { AuditAction, AuditEntry } from '../contract/audit.ts';
import type { Channel } from '../contract/message.ts';
import type { NodeLoad, NodeView } from '../contract/node.ts';
import type { NewAuditEntry } from './principal.ts';

/*
 * The port behind users, credentials, shares, the audit log and limits; SQLite and PostgreSQL keep
 * its promises under one contract suite. Every method is one transaction. Secrets come as SHA-256
 * digests in hex, never themselves. Times are epoch milliseconds on the database's clock, and whether
 * something has expired is decided by that clock. Writes that change what somebody may do set
 * `access` in their hint, so that every node forgets what it remembered.
 */

export interface UserRecord {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly disabledAt: number | null;
}

export interface NewUser {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface UserChange {
  readonly name?: string;
  readonly role?: Role;
  readonly disabled?: boolean;
}

export interface TokenRecord {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly Right[];
  readonly channel: Channel;
  /** Other channels that it was made through. */
  readonly through: readonly Channel[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewToken {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly digest: string;
  readonly scopes: readonly Right[];
  readonly channel: Channel;
  readonly through?: readonly Channel[];
  readonly expiresInMs: number | null;
  /** It ends with the token that made it, at the latest. */
  readonly notAfter: number | null;
}

/** A token that is valid now, with whose it is. */
export interface ValidToken {
  readonly token: TokenRecord;
  readonly user: UserRecord;
}

export type TokenState = 'expired' | 'revoked' | 'disabled';

/** A sign-in of a browser that is valid now. */
export interface ValidSignIn {
  readonly id: string;
  readonly user: UserRecord;
  /** Of the token that it was made with; null is all that the role may. */
  readonly scopes: readonly Right[] | null;
  /** Channels of that token, its own among them. */
  readonly through: readonly Channel[];
  readonly expiresAt: number;
  /** When its secret was last replaced. */
  readonly rotatedAt: number;
  /** The secret shown is the one of before; the browser has not learnt the new one yet. */
  readonly previous: boolean;
  /** Null if it was made by a version that knew of none. */
  readonly pageKeyDigest: string | null;
}

/** A token or a sign-in that is valid now, by its name in the audit log. */
export interface ValidCredential {
  readonly user: UserRecord;
  /** Null is all that the role may. */
  readonly scopes: readonly Right[] | null;
  /** Of the token, or the one that the sign-in was made with: when it ends. Null is never. */
  readonly tokenExpiresAt: number | null;
}

export interface NewSignIn {
  readonly id: string;
  /** Of the secret in the cookie. */
  readonly digest: string;
  readonly pageKeyDigest: string;
  /** Ends after this long without use, and after `lifeMs` in any case. */
  readonly idleMs: number;
  readonly lifeMs: number;
}

export interface NewCode {
  readonly digest: string;
  readonly userId: string;
  readonly expiresInMs: number;
  /** Ends the user's other codes. */
  readonly only?: boolean;
}

/** What a browser signs in by. `user` is for one whose credential was checked elsewhere (the admin token). */
export type SignInBy =
  | { readonly code: string }
  | { readonly token: string }
  | { readonly user: string };

/** Opens one request of a browser. */
export interface NewTicket {
  readonly digest: string;
  readonly signInId: string;
  /** Of the request, without the query. */
  readonly path: string;
  readonly expiresInMs: number;
}

export interface ShareRecord {
  readonly userId: string;
  readonly userName: string;
  readonly level: ShareLevel;
}

export interface AuditFilter {
  readonly userId?: string;
  readonly action?: AuditAction;
  readonly target?: string;
  readonly channel?: Channel;
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
  /** Newest first, older than this seq. */
  readonly before?: number;
}

/** What one node has used of a limit, or holds open at the moment. */
export interface Usage {
  readonly key: string;
  readonly value: number;
}

export interface AccessStore {
  /** Throws `user_exists`. */
  createUser(user: NewUser): Promise<UserRecord>;
  getUser(id: string): Promise<UserRecord | null>;
  /** By id, else by name, letter case aside. */
  findUser(nameOrId: string): Promise<UserRecord | null>;
  /** By name, letter case aside; `after` is a name. */
  listUsers(page: { readonly limit: number; readonly after?: string }): Promise<UserRecord[]>;
  /** Throws `not_found`, `user_exists`, and `last_admin` for the built-in administrator. */
  updateUser(id: string, change: UserChange): Promise<UserRecord>;

  /** Throws `unknown_user`. */
  createToken(token: NewToken): Promise<TokenRecord>;
  getToken(id: string): Promise<TokenRecord | null>;
  /** Newest first; of one user, or of all. */
  listTokens(page: {
    readonly userId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<TokenRecord[]>;
  /** Again changes nothing. Throws `not_found`. */
  revokeToken(id: string): Promise<TokenRecord>;
  /** Null if there is none, or in a word why it is not valid. */
  findToken(digest: string): Promise<ValidToken | TokenState | null>;
  /** Tells that tokens were used, about now. */
  touchTokens(ids: readonly string[]): Promise<void>;

  /** A code that signs in once, within `expiresInMs`. Expired ones go. Throws `unknown_user`. */
  createCode(code: NewCode): Promise<{ readonly expiresAt: number }>;
  /**
   * Takes the code or looks at the token, and makes the sign-in. Null if it is not valid (any more),
   * and then no line of an `audited` store is written. Whose it is comes out here only: in the line
   * the empty user id becomes theirs.
   */
  signIn(by: SignInBy, made: NewSignIn): Promise<ValidSignIn | null>;
  /** Whether there is such a code, valid or not: a read, which guesses may cost. */
  hasCode(digest: string): Promise<boolean>;
  /** By the digest of its secret; also lengthens its idle time, at most once a minute. */
  findSignIn(digest: string, idleMs: number): Promise<ValidSignIn | null>;
  /**
   * Replaces the secret; the old one is good for `graceMs` more, for requests under way. False if
   * somebody else was first, the one of before still is good, or it has ended.
   */
  rotateSignIn(
    id: string,
    secret: { readonly from: string; readonly to: string; readonly graceMs: number },
  ): Promise<boolean>;
  /** Of one who was let in before: whose `token:<id>` or `cookie:<id>` is. Null if not valid any more. */
  findCredential(credential: string): Promise<ValidCredential | null>;
  endSignIn(id: string): Promise<void>;
  /** Expired ones go. Throws `unauthorized` if the sign-in is gone. */
  createTicket(ticket: NewTicket): Promise<{ readonly expiresAt: number }>;
  /**
   * Takes the ticket, for any sign-in and any path. Null if it does not exist, was taken before or has
   * expired; those of a sign-in go with it.
   */
  takeTicket(digest: string): Promise<{ readonly signInId: string; readonly path: string } | null>;
  /** All of a user. */
  endSignIns(userId: string): Promise<void>;

  listShares(sessionId: string): Promise<ShareRecord[]>;
  /** Replaces them all; one for the owner is left out. Throws `not_found`, `unknown_user`. */
  putShares(
    sessionId: string,
    shares: readonly { readonly userId: string; readonly level: ShareLevel }[],
  ): Promise<ShareRecord[]>;

  listAudit(filter: AuditFilter): Promise<AuditRecord[]>;

  /**
   * Stores what this node has used (it replaces what the node said before; null leaves that), and
   * answers what all other live nodes have said, added up by key.
   */
  exchangeUsage(nodeId: string, mine: readonly Usage[] | null): Promise<Usage[]>;

  /** What a node says about itself, kept until it goes. The time is the store's. */
  saveLoad(nodeId: string, load: Omit<NodeLoad, 'at'>): Promise<void>;
  /** Oldest first; alive by the store's time. */
  listNodeViews(): Promise<NodeView[]>;
}

export interface AuditRecord extends Omit<AuditEntry, 'at'> {
  readonly at: number;
}

/**
 * A store whose every writing call also appends this line to the audit log, in the same transaction.
 * A call that throws, or finds that there is nothing to change (a message that is known by its
 * idempotency key, a token that was revoked before), appends none.
 */
export interface Audited<S> {
  audited(entry: NewAuditEntry): S;
}
