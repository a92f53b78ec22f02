import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { BatonError } from '../contract/errors.ts';

/** By which names this server is known, and which pages are its own. */
export interface SiteOptions {
  /** What browsers use. */
  readonly publicUrl?: string | undefined;
  /** What the server listens on, if it is a name. */
  readonly host?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
}

/** The headers of a request, also as they came: of a doubled one `headers` shows but the first. */
export interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders?: readonly string[];
}

export interface Site {
  /** Browsers come by TLS. */
  readonly secure: boolean;
  /**
   * Throws `host_refused` unless the request names this server. A page whose own name was made to
   * point here (DNS rebinding) is of one origin with us to a browser, but cannot hide its name.
   */
  checkHost(request: Heard): void;
  /** Whether an `Origin` is that of our own pages; `host` has been checked. */
  isOurs(origin: string, host: string | undefined): boolean;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/;

/** Without its port; undefined if it is not a name. */
export const hostNameOf = (host: string | undefined): string | undefined =>
  HOST.exec(host?.toLowerCase() ?? '')?.[1];

export function createSite({ publicUrl, host, allowedHosts = [] }: SiteOptions = {}): Site {
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
        'The Host of the request is not one this server is known by. Set BATON_PUBLIC_URL to the URL that browsers use, or name the host in BATON_ALLOWED_HOSTS.',
      );
    },
    isOurs(origin, hostHeader) {
      if (origin === own?.origin) return true;
      const here = hostHeader?.toLowerCase();
      // Under the public name only what was said to be public: http there is not us if that is https.
      if (here === undefined || here === own?.host) return false;
      return origin === `http://${here}` || origin === `https://${here}`;
    },
  };
}

function isDoubled({ rawHeaders = [] }: Heard): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') seen++;
  }
  return seen > 1;
}
