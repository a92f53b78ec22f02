import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { StoreAuthenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { newSecret } from '../access/secret.ts';
import type { Authenticator } from '../access/service.ts';
import { PAGE_KEY_HEADER } from '../contract/page-key.ts';
import { cookieOf } from './cookies.ts';
import { type AddressOf, addressReader } from './limits/address.ts';
import { checkOrigin, checkUpgradeOrigin } from './origin.ts';
import { createSite, type Heard, type Site } from './site.ts';

/** What a credential is read from: a request of Fastify's, or the bare one of an upgrade. */
export interface Asking extends Heard {
  readonly method: string;
  readonly address: string;
  readonly requestId: string;
  readonly upgrade?: boolean;
  /** What it came over. */
  readonly socket?: Duplex;
  /** A page that is the same for everyone: the cookie alone opens it. */
  readonly isPage?: boolean;
  /** A ticket that came along, and the path that it has to be for. */
  readonly ticket?: { readonly value: string; readonly path: string } | null;
}

export interface LetIn {
  readonly by: Principal;
  /** The secret of the cookie, if it is time to replace it. */
  readonly due: string | null;
  /** `ticket`: what was asked for it has been counted. `cookie`: it alone, which opens pages only. */
  readonly shown: 'credential' | 'ticket' | 'cookie';
}

/** Says who asks; null is a stranger. The channel follows from the credential, too (SPEC §1). */
export interface RequestAuthenticator {
  readonly authenticator: Authenticator;
  readonly site: Site;
  readonly addressOf: AddressOf;
  /** Throws `origin_refused` for what a page of somebody else made a browser do. */
  authenticate(request: Asking): Promise<LetIn | null>;
  readonly signIn: Authenticator['signIn'];
}

export interface RequestAuthenticatorOptions {
  readonly site?: Site;
  readonly addressOf?: AddressOf;
}

/**
 * Bearer tokens for programs; for browsers a cookie together with the page key, or with a ticket that
 * was got with it (X4). Who shows a token and a cookie is judged by the token alone.
 */
export function requestAuthenticator(
  authenticator: Authenticator,
  { site = createSite(), addressOf = addressReader() }: RequestAuthenticatorOptions = {},
): RequestAuthenticator {
  const find = async (request: Asking): Promise<LetIn | null> => {
    const { headers, method, upgrade = false } = request;
    if (headers.authorization !== undefined) {
      // A page of somebody else cannot set the header, but an upgrade is beyond what browsers ask us.
      if (upgrade && headers.origin !== undefined) checkUpgradeOrigin(headers, site);
      const token = bearerOf(headers);
      const by = token === null ? null : await authenticator.byToken(token);
      return by === null ? null : { by, due: null, shown: 'credential' };
    }
    const secret = cookieOf(headers, site.secure);
    if (secret === null) return null;
    if (upgrade) checkUpgradeOrigin(headers, site);
    else checkOrigin(method, headers, site);
    const found = await authenticator.byCookie(secret, pageKeyOf(headers));
    if (found === null) return null;
    const { by, due, hasKey } = found;
    // Only with the key: one who got hold of the cookie must not be able to replace it.
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
    async authenticate(request) {
      const found = await find(request);
      if (found === null) return null;
      const { address, requestId } = request;
      return { ...found, by: { ...found.by, address, requestId } };
    },
  };
}

/** Knows the admin token, and has no database to look for others. */
export const adminToken = (token: string): RequestAuthenticator =>
  requestAuthenticator(new StoreAuthenticator({ adminToken: token }));

/** Lets in nobody: a node that has no credential yet. */
export const nobody: RequestAuthenticator = adminToken(newSecret());

const pageKeyOf = (headers: IncomingHttpHeaders): string | null => {
  const key = headers[PAGE_KEY_HEADER];
  return typeof key === 'string' ? key : null;
};

export function bearerOf(headers: IncomingHttpHeaders): string | null {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
