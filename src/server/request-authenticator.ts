import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { newSecret } from '../access/secret.ts';
import { StoreAuthenticator } from '../access/store-authenticator.ts';
import { PAGE_KEY_HEADER } from '../contract/page-key.ts';
import { cookieOf } from './cookies.ts';
import { FORWARD_HEADER } from './forward/credential.ts';
import type { ForwardedRequests } from './forward/forwarded-requests.ts';
import { type AddressOf, addressReader } from './limits/address.ts';
import { checkOrigin, checkUpgradeOrigin } from './origin.ts';
import { createOwnSite, type OwnSite, type RequestHeaders } from './own-site.ts';

/** The source of a credential: a Fastify request, or the raw request of an upgrade. */
export interface CredentialRequest extends RequestHeaders {
  readonly method: string;
  /** Path and query. */
  readonly url?: string;
  readonly address: string;
  readonly requestId: string;
  readonly upgrade?: boolean;
  readonly socket?: Duplex;
  /** The page is the same for everyone, so the cookie alone opens it. */
  readonly isPage?: boolean;
  /** The ticket in the request, and the path it must be valid for. */
  readonly ticket?: { readonly value: string; readonly path: string } | null;
}

export interface Authenticated {
  readonly by: Principal;
  /** The cookie's secret, if it is due to be replaced. */
  readonly due: string | null;
  /**
   * `ticket`: the request for the ticket has already been counted. `cookie`: the request has only a
   * cookie, which opens nothing but pages. `forwarded`: the request was counted by the node that
   * forwarded it.
   */
  readonly shown: 'credential' | 'ticket' | 'cookie' | 'forwarded';
  /** The digest that the body of a forwarded request must have. */
  readonly bodyDigest?: string;
}

/**
 * Identifies the caller; null for a stranger. The credential also determines the channel (SPEC §1).
 */
export interface RequestAuthenticator {
  readonly authenticator: Authenticator;
  readonly site: OwnSite;
  readonly addressOf: AddressOf;
  /** Throws `origin_refused` if another site caused the browser to send the request. */
  authenticate(request: CredentialRequest): Promise<Authenticated | null>;
  /**
   * The proof to include in every response to a forwarded request; null if the request is not for
   * this node.
   */
  proofFor(request: Pick<CredentialRequest, 'headers' | 'method' | 'url'>): string | null;
  readonly signIn: Authenticator['signIn'];
}

export interface RequestAuthenticatorOptions {
  readonly site?: OwnSite;
  readonly addressOf?: AddressOf;
  /** Accepts requests that other nodes forward; null if there are no other nodes. */
  readonly forwarded?: Pick<ForwardedRequests, 'accept' | 'proofFor'> | null;
}

/**
 * Programs use a bearer token. Browsers use a cookie together with either the page key or a ticket
 * requested with that key (X4). If a request has both a token and a cookie, only the token is used.
 */
export function requestAuthenticator(
  authenticator: Authenticator,
  {
    site = createOwnSite(),
    addressOf = addressReader(),
    forwarded = null,
  }: RequestAuthenticatorOptions = {},
): RequestAuthenticator {
  const identify = async (request: CredentialRequest): Promise<Authenticated | null> => {
    const { headers, method, upgrade = false } = request;
    if (headers.authorization !== undefined) {
      // Browsers ask for our permission before they let another site send this header, except in
      // WebSocket upgrades.
      if (upgrade && headers.origin !== undefined) checkUpgradeOrigin(headers, site);
      const token = bearerOf(headers);
      const by = token === null ? null : await authenticator.byToken(token);
      return by === null ? null : { by, due: null, shown: 'credential' };
    }
    const secret = cookieOf(headers, site.secure);
    if (secret === null) return null;
    if (upgrade) checkUpgradeOrigin(headers, site);
    else checkOrigin(method, headers, site);
    const signIn = await authenticator.byCookie(secret, pageKeyOf(headers));
    if (signIn === null) return null;
    const { by, due, hasKey } = signIn;
    // Renewal requires the key: someone who stole the cookie must not be able to replace it.
    if (hasKey) return { by, due: due ? secret : null, shown: 'credential' };
    if (request.isPage === true) return { by, due: null, shown: 'cookie' };
    const { ticket = null } = request;
    if (ticket === null || !(await authenticator.takeTicket(by, ticket.value, ticket.path)))
      return null;
    return { by, due: null, shown: 'ticket' };
  };
  return {
    authenticator,
    site,
    addressOf,
    signIn: (shown, from) => authenticator.signIn(shown, from),
    proofFor: ({ headers, method, url = '' }) =>
      forwarded?.proofFor(headers[FORWARD_HEADER], { method, url }) ?? null,
    async authenticate(request) {
      if (isForwarded(request)) {
        const { headers, method, url = '' } = request;
        const known = await forwarded?.accept(headers[FORWARD_HEADER], { method, url });
        return known == null ? null : { ...known, due: null, shown: 'forwarded' };
      }
      const identified = await identify(request);
      if (identified === null) return null;
      const { address, requestId } = request;
      return { ...identified, by: { ...identified.by, address, requestId } };
    },
  };
}

/**
 * Whether a request claims to have been forwarded by another node. Only this claim then identifies
 * the caller: if it is invalid, the request is refused, whatever other credential it has.
 */
export const isForwarded = ({ headers }: Pick<RequestHeaders, 'headers'>): boolean =>
  headers[FORWARD_HEADER] !== undefined;

/** Accepts only the admin token, because it has no database to look up others. */
export const adminToken = (token: string): RequestAuthenticator =>
  requestAuthenticator(new StoreAuthenticator({ adminToken: token }));

/** Accepts no credential. Used by a node that does not know any credentials yet. */
export const refuseAll: RequestAuthenticator = adminToken(newSecret());

const pageKeyOf = (headers: IncomingHttpHeaders): string | null => {
  const key = headers[PAGE_KEY_HEADER];
  return typeof key === 'string' ? key : null;
};

export function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
