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
 * Users, tokens, the audit log, the nodes and the switch that stops everything, as people and programs
 * use them. Whether the caller's credential has the right that an operation needs is checked before; here
 * it is whose thing it is.
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
  /** Stops everything, or resumes. */
  putStop(by: Principal, body: PutStop): Promise<Stop>;
}

/** Signing in and out, and who a credential is; what the server lets people in by. */
export interface Authenticator {
  /** A code for the administrator, for the line that a start prints. Ends all earlier ones. */
  startCode(): Promise<string>;
  /** Who a bearer token is; null is nobody. Throws `database_unreachable` if that cannot be known. */
  byToken(token: string): Promise<Principal | null>;
  /**
   * Who a cookie is, whether it is time to replace its secret, and whether the page key that came
   * along is the one of this sign-in; the same otherwise.
   */
  byCookie(
    secret: string,
    pageKey?: string | null,
  ): Promise<{ readonly by: Principal; readonly due: boolean; readonly hasKey: boolean } | null>;
  /** The secret to replace this one by, which is good for a minute more. Null if another was first. */
  renew(secret: string): Promise<CookieSecret | null>;
  /** Makes a sign-in; null if code or token is not valid. */
  signIn(
    shown: { readonly code: string } | { readonly token: string },
    from: { readonly address: string; readonly requestId: string },
  ): Promise<({ readonly by: Principal; readonly pageKey: string } & CookieSecret) | null>;
  signOut(by: Principal): Promise<void>;
  /** Opens one request of this browser for this path, on any node. Throws `forbidden` for tokens. */
  createTicket(by: Principal, path: string): Promise<Ticket>;
  /** Whether it is one of this browser for this path. It is used up in any case. */
  takeTicket(by: Principal, ticket: string, path: string): Promise<boolean>;
  /** Who they are now that were let in before, by their credential; null if it is not valid any more. */
  again(by: Principal): Promise<{ readonly by: Principal; readonly name: string } | null>;
  /** Calls back when what somebody may do has changed, here or on another node. */
  onChange(listener: () => void): () => void;
}

/** What a browser keeps, and for how long. */
export interface CookieSecret {
  readonly secret: string;
  readonly lifeMs: number;
}
