import type { Ticket } from '../contract/ticket.ts';
import type { Principal } from './principal.ts';

/** Signs people in and out, and finds out who a credential belongs to. */
export interface Authenticator {
  /** A sign-in code for the administrator, printed at start-up. Invalidates all earlier codes. */
  startCode(): Promise<string>;
  /**
   * The principal that the token belongs to; null if the token is not valid. Throws
   * `database_unreachable` if that cannot be determined.
   */
  byToken(token: string): Promise<Principal | null>;
  /**
   * The principal that the cookie belongs to, whether its secret is due for replacement, and
   * whether the page key belongs to this sign-in. Returns null and throws in the same cases as
   * `byToken`.
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
  /** Whether the ticket is for this browser and path. Uses up the ticket in any case. */
  takeTicket(by: Principal, ticket: string, path: string): Promise<boolean>;
  /**
   * The principal whose credential has this name in the audit log, with its current rights; null if
   * the credential is no longer valid. The name proves nothing: the caller must know that the
   * credential was authenticated elsewhere.
   */
  byName(credential: string): Promise<Principal | null>;
  /** The principal with its current role and scopes; null if the credential is no longer valid. */
  recheck(by: Principal): Promise<{ readonly by: Principal; readonly name: string } | null>;
  /** Calls the listener whenever anyone's access changes, here or on another node. */
  onChange(listener: () => void): () => void;
}

/** The secret that a browser stores in its cookie, and for how long. */
export interface CookieSecret {
  readonly secret: string;
  readonly lifeMs: number;
}
