import type { Right, Role, ShareLevel } from '../contract/access.ts';
import type { AuditAction, AuditEntry } from '../contract/audit.ts';
import type { Channel } from '../contract/message.ts';
import type { NodeLoad, NodeView } from '../contract/node.ts';
import type { NewAuditEntry } from './principal.ts';

/*
 * The port for users, credentials, shares, the audit log and limits. SQLite and PostgreSQL pass the
 * same conformance suite. Every method is one transaction. Secrets arrive as SHA-256 digests in hex,
 * never in plain text. Times are epoch milliseconds on the database's clock, which also decides
 * whether something has expired. Writes that change what a user may do send a hint with the topic
 * `ACCESS`, so that every node clears its caches.
 */

/** The topic of hints about changed users, credentials and shares. */
export const ACCESS = 'access';

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
  /** Other channels through which the token was created. */
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
  /** When the token that creates this one expires; the new token must not outlive it. */
  readonly notAfter: number | null;
}

/** A valid token, with its user. */
export interface ValidToken {
  readonly token: TokenRecord;
  readonly user: UserRecord;
}

export type TokenState = 'expired' | 'revoked' | 'disabled';

/** A browser's valid sign-in. */
export interface ValidSignIn {
  readonly id: string;
  readonly user: UserRecord;
  /** The scopes of the token used to sign in; null means all rights of the role. */
  readonly scopes: readonly Right[] | null;
  /** The channels that the token was created through, and its own channel. */
  readonly through: readonly Channel[];
  readonly expiresAt: number;
  /** When the sign-in's secret was last replaced. */
  readonly rotatedAt: number;
  /** The browser sent the previous secret because it has not received the new one yet. */
  readonly previous: boolean;
  /** Null if the sign-in was created by a version without page keys. */
  readonly pageKeyDigest: string | null;
}

/** A valid token or sign-in, looked up by its name in the audit log. */
export interface ValidCredential {
  readonly user: UserRecord;
  /** Null means all rights of the role. */
  readonly scopes: readonly Right[] | null;
  readonly channel: Channel;
  /** Has the same meaning as in `TokenRecord` and `ValidSignIn`. */
  readonly through: readonly Channel[];
  /** When the token, or the token used to sign in, expires. Null means never. */
  readonly tokenExpiresAt: number | null;
}

export interface NewSignIn {
  readonly id: string;
  /** The digest of the cookie's secret. */
  readonly digest: string;
  readonly pageKeyDigest: string;
  /** The sign-in expires when unused for this long, and after `lifeMs` in any case. */
  readonly idleMs: number;
  readonly lifeMs: number;
}

export interface NewCode {
  readonly digest: string;
  readonly userId: string;
  readonly expiresInMs: number;
  /** Invalidates the user's other codes. */
  readonly only?: boolean;
}

/**
 * What a browser signs in with. `user` is used if the credential (the admin token) has already been
 * checked elsewhere.
 */
export type SignInBy =
  | { readonly code: string }
  | { readonly token: string }
  | { readonly user: string };

/** A ticket for one request from a browser. */
export interface NewTicket {
  readonly digest: string;
  readonly signInId: string;
  /** The path of the request, without its query. */
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
  /** Lists lines older than this seq, newest first. */
  readonly before?: number;
}

/** How much of a limit one node has used or is using. */
export interface Usage {
  readonly key: string;
  readonly value: number;
}

export interface AccessStore {
  /** Throws `user_exists`. */
  createUser(user: NewUser): Promise<UserRecord>;
  getUser(id: string): Promise<UserRecord | null>;
  /** Finds a user by id, or else by name; names are case-insensitive. */
  findUser(nameOrId: string): Promise<UserRecord | null>;
  /** Ordered by name, case-insensitively; `after` is a name. */
  listUsers(page: { readonly limit: number; readonly after?: string }): Promise<UserRecord[]>;
  /** Throws `not_found`, `user_exists`, and `last_admin` for the built-in administrator. */
  updateUser(id: string, change: UserChange): Promise<UserRecord>;

  /** Throws `unknown_user`. */
  createToken(token: NewToken): Promise<TokenRecord>;
  getToken(id: string): Promise<TokenRecord | null>;
  /** Lists tokens, newest first, for one user or for all. */
  listTokens(page: {
    readonly userId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<TokenRecord[]>;
  /** Revoking again changes nothing. Throws `not_found`. */
  revokeToken(id: string): Promise<TokenRecord>;
  /** Null if there is no such token; a `TokenState` says why a token is not valid. */
  findToken(digest: string): Promise<ValidToken | TokenState | null>;
  /** Records that tokens were used just now. */
  touchTokens(ids: readonly string[]): Promise<void>;

  /** Creates a code that works for one sign-in; removes expired codes. Throws `unknown_user`. */
  createCode(code: NewCode): Promise<{ readonly expiresAt: number }>;
  /**
   * Uses up the code or checks the token, and creates the sign-in. Null if the code or token is not
   * valid; in that case, an `audited` store writes no line. Only this call knows the user, so it
   * replaces the empty user id in the audit line with the real one.
   */
  signIn(by: SignInBy, made: NewSignIn): Promise<ValidSignIn | null>;
  /**
   * Whether the code exists, valid or not. This is a cheap read, so that guesses do not cost a
   * transaction.
   */
  hasCode(digest: string): Promise<boolean>;
  /**
   * Finds a sign-in by the digest of its secret; also extends its idle time, at most once a minute.
   */
  findSignIn(digest: string, idleMs: number): Promise<ValidSignIn | null>;
  /**
   * Replaces the secret. The old secret stays valid for `graceMs`, for requests in progress. False
   * if another request came first, the previous secret is still in its grace period, or the sign-in
   * has ended.
   */
  rotateSignIn(
    id: string,
    secret: { readonly from: string; readonly to: string; readonly graceMs: number },
  ): Promise<boolean>;
  /**
   * Rechecks a credential by its name, `token:<id>` or `cookie:<id>`. Null if the credential is no
   * longer valid.
   */
  findCredential(credential: string): Promise<ValidCredential | null>;
  endSignIn(id: string): Promise<void>;
  /**
   * Creates a ticket and removes expired tickets. Throws `unauthorized` if the sign-in has ended.
   */
  createTicket(ticket: NewTicket): Promise<{ readonly expiresAt: number }>;
  /**
   * Uses up the ticket, whatever its sign-in and path. Null if the ticket does not exist, was used
   * or has expired. When a sign-in ends, its tickets become invalid.
   */
  takeTicket(digest: string): Promise<{ readonly signInId: string; readonly path: string } | null>;
  /** Ends all of a user's sign-ins. */
  endSignIns(userId: string): Promise<void>;

  listShares(sessionId: string): Promise<ShareRecord[]>;
  /** Replaces all shares; a share for the owner is ignored. Throws `not_found`, `unknown_user`. */
  putShares(
    sessionId: string,
    shares: readonly { readonly userId: string; readonly level: ShareLevel }[],
  ): Promise<ShareRecord[]>;

  listAudit(filter: AuditFilter): Promise<AuditRecord[]>;

  /**
   * Stores this node's usage in place of what it stored before (null keeps the old value), and
   * returns the usage of all other live nodes, summed by key.
   */
  exchangeUsage(nodeId: string, mine: readonly Usage[] | null): Promise<Usage[]>;

  /** Stores a node's load until the node leaves. The database's clock supplies the time. */
  saveLoad(nodeId: string, load: Omit<NodeLoad, 'at'>): Promise<void>;
  /** All nodes, oldest first; the database's clock decides which are alive. */
  listNodeViews(): Promise<NodeView[]>;
}

export interface AuditRecord extends Omit<AuditEntry, 'at'> {
  readonly at: number;
}

/**
 * A store whose writes also append this line to the audit log, in the same transaction. A call that
 * throws or changes nothing (a message with a known idempotency key, a token that was already
 * revoked) appends no line.
 */
export interface Audited<S> {
  audited(entry: NewAuditEntry): S;
}
