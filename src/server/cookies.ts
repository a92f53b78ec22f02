import type { IncomingHttpHeaders } from 'node:http';

/** With the prefix, browsers accept the cookie only from exactly this host and over TLS. */
const nameOf = (secure: boolean): string => (secure ? '__Host-baton_session' : 'baton_session');

/**
 * The secret in the cookie; null if there is no cookie, or if there are two, because then one of
 * them is not ours. `@fastify/cookie` is not used: it silently takes the first of two cookies, and
 * does not see the requests that open WebSockets.
 */
export function cookieOf({ cookie }: IncomingHttpHeaders, secure: boolean): string | null {
  if (cookie === undefined) return null;
  const beginning = `${nameOf(secure)}=`;
  const matches = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(beginning));
  return matches.length === 1 ? (matches[0]?.slice(beginning.length) ?? null) : null;
}

export function setCookie(secret: string, lifeMs: number, secure: boolean): string {
  return [
    `${nameOf(secure)}=${secret}`,
    'Path=/',
    `Max-Age=${Math.floor(lifeMs / 1000)}`,
    'HttpOnly',
    // The cookie is sent when someone follows a link to us, but never with background requests from
    // other sites.
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

export const clearCookie = (secure: boolean): string => setCookie('', 0, secure);
