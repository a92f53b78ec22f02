import type { IncomingHttpHeaders } from 'node:http';

/** With the prefix a browser takes it only from this very host and over TLS. */
const nameOf = (secure: boolean): string => (secure ? '__Host-baton_session' : 'baton_session');

/** The secret a browser has; null if there is none, or two, of which one is not ours. */
export function cookieOf({ cookie }: IncomingHttpHeaders, secure: boolean): string | null {
  if (cookie === undefined) return null;
  const beginning = `${nameOf(secure)}=`;
  const found = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(beginning));
  return found.length === 1 ? (found[0]?.slice(beginning.length) ?? null) : null;
}

export function setCookie(secret: string, lifeMs: number, secure: boolean): string {
  return [
    `${nameOf(secure)}=${secret}`,
    'Path=/',
    `Max-Age=${Math.floor(lifeMs / 1000)}`,
    'HttpOnly',
    // Sent along when somebody follows a link to us, never with what another site does in the back.
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

export const clearCookie = (secure: boolean): string => setCookie('', 0, secure);
