import type {
  CreatedToken,
  CreateToken,
  CreateUser,
  Me,
  SignInLink,
  Token,
  UpdateUser,
  User,
} from '../contract/access.ts';
import type { AuditAction, AuditEntry } from '../contract/audit.ts';
import type { Channel } from '../contract/message.ts';
import type { NodeView } from '../contract/node.ts';
import type { PutStop, Stop } from '../contract/stop.ts';
import type { Ticket } from '../contract/ticket.ts';
import type { Principal } from './principal.ts';

export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AuditQuery extends PageQuery {
  readonly userId?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly target?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Users, tokens, the audit log, nodes and the stop switch, for people and programs. The server
 * checks that the caller's credential has the right that an operation needs; this service checks
 * ownership.
 */
export interface AccessService {
  me(by: Principal): Promise<Me>;
  listUsers(by: Principal, query: PageQuery): Promise<Page<User>>;
  createUser(by: Principal, body: CreateUser): Promise<User>;
  getUser(by: Principal, id: string): Promise<User>;
  updateUser(by: Principal, id: string, body: UpdateUser): Promise<User>;
  createSignInLink(by: Principal, id: string): Promise<SignInLink>;
  signOutUser(by: Principal, id: string): Promise<void>;
  listTokens(
    by: Principal,
    query: PageQuery & { userId?: string | undefined },
  ): Promise<Page<Token>>;
  createToken(by: Principal, body: CreateToken): Promise<CreatedToken>;
  revokeToken(by: Principal, id: string): Promise<void>;
  audit(by: Principal, query: AuditQuery): Promise<Page<AuditEntry>>;
  nodes(by: Principal): Promise<NodeView[]>;
  stop(by: Principal): Promise<Stop>;
  /** Stops everything, or resumes it. */
  putStop(by: Principal, body: PutStop): Promise<Stop>;
}

/** Signs people in and out, and finds out who a credential belongs to. */
export interface Authenticator {
  /** A sign-in code for the administrator, printed at start-up. Invalidates all earlier ones. */
  startCode(): Promise<string>;
  /**
   * Whose token it is; null if it is not valid. Throws `database_unreachable` if that cannot be
   * determined.
   */
  byToken(token: string): Promise<Principal | null>;
  /**
   * Whose cookie it is, whether its secret is due for replacement, and whether the page key belongs to
   * this sign-in. Null and errors as in `byToken`.
   */
  byCookie(
    secret: string,
    pageKey?: string | null,
  ): Promise<{ readonly by: Principal; readonly due: boolean; readonly hasKey: boolean } | null>;
  /**
   * Replaces the secret; the old one stays valid for a minute. Null if another request came first.
   */
  renew(secret: string): Promise<CookieSecret | null>;
  /** Creates a sign-in; null if the code or token is not valid. */
  signIn(
    shown: { readonly code: string } | { readonly token: string },
    from: { readonly address: string; readonly requestId: string },
  ): Promise<({ readonly by: Principal; readonly pageKey: string } & CookieSecret) | null>;
  signOut(by: Principal): Promise<void>;
  /**
   * A ticket for one request from this browser to this path, on any node. Throws `forbidden` for
   * tokens.
   */
  createTicket(by: Principal, path: string): Promise<Ticket>;
  /** Whether the ticket is for this browser and path. The ticket is used up in any case. */
  takeTicket(by: Principal, ticket: string, path: string): Promise<boolean>;
  /**
   * Whose credential has this name in the audit log, with everything it may do now; null if it is no
   * longer valid. The name proves nothing: the caller must know that it was authenticated elsewhere.
   */
  byName(credential: string): Promise<Principal | null>;
  /** The principal with its current role and scopes; null if the credential is no longer valid. */
  recheck(by: Principal): Promise<{ readonly by: Principal; readonly name: string } | null>;
  /** Calls back when anyone's access has changed, here or on another node. */
  onChange(listener: () => void): () => void;
}

/** The secret that a browser stores in its cookie, and for how long. */
export interface CookieSecret {
  readonly secret: string;
  readonly lifeMs: number;
}
