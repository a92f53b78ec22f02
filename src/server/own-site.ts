import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { BatonError } from '../contract/errors.ts';

/** The settings that decide which host names and origins are this server's own. */
export interface OwnSiteOptions {
  /** The URL that browsers use. */
  readonly publicUrl?: string | undefined;
  /** The address the server listens on; matters only if it is a name. */
  readonly host?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
}

/**
 * The headers of a request, parsed and raw: if one is repeated, `headers` contains only the first.
 */
export interface RequestHeaders {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders?: readonly string[];
}

export interface OwnSite {
  /** Browsers use TLS. */
  readonly secure: boolean;
  /**
   * Throws `host_refused` unless the Host header names this server. A site can point its own name
   * here (DNS rebinding). The browser then treats us as that site, but the Host header still
   * contains the site's name.
   */
  checkHost(request: RequestHeaders): void;
  /** Whether an `Origin` header names our own site. `host` must already have been checked. */
  isOurs(origin: string, host: string | undefined): boolean;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** The host name without its port; undefined if it is not valid. */
export const hostNameOf = (host: string | undefined): string | undefined =>
  HOST.exec(host?.toLowerCase() ?? '')?.[1];

export function createOwnSite({
  publicUrl,
  host,
  allowedHosts = [],
}: OwnSiteOptions = {}): OwnSite {
  const own = publicUrl === undefined ? null : new URL(publicUrl);
  const names = new Set([own?.hostname, host, ...allowedHosts].map((name) => name?.toLowerCase()));
  const isKnown = (name: string): boolean =>
    isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    names.has(name);

  return {
    secure: own?.protocol === 'https:',
    checkHost(request) {
      const name = hostNameOf(request.headers.host);
      if (name !== undefined && isKnown(name) && !isDoubled(request)) return;
      throw new BatonError(
        'host_refused',
        'The Host header does not match any of this server’s names. Set BATON_PUBLIC_URL to the URL that browsers use, or add the name to BATON_ALLOWED_HOSTS.',
      );
    },
    isOurs(origin, hostHeader) {
      if (origin === own?.origin) return true;
      const here = hostHeader?.toLowerCase();
      // Under the public name, only the public URL is ours: if it uses https, http is not ours.
      if (here === undefined || here === own?.host) return false;
      return origin === `http://${here}` || origin === `https://${here}`;
    },
  };
}

function isDoubled({ rawHeaders = [] }: RequestHeaders): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') seen++;
  }
  return seen > 1;
}
