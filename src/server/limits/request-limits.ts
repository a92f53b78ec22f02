import type { RequestAuthenticator } from '../request-authenticator.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import type { Limits } from './limits.ts';

/**
 * Adds the limits to authentication, for requests and upgrades alike. A valid credential is never
 * refused because of its address: people who share an address with strangers must not suffer. For
 * the same reason, only a failed sign-in counts as a stranger's; signing in with a token counts
 * like any other request made with it. The cookie alone does not prove that a connection is a
 * user's, because other ports of the host also receive it (X4).
 */
export const withRequestLimits = (
  auth: RequestAuthenticator,
  limits: Limits,
  connections?: Pick<ConnectionGuard, 'admit'>,
): RequestAuthenticator => ({
  ...auth,
  async authenticate(request) {
    const caller = await auth.authenticate(request);
    if (caller === null) limits.stranger(request.address);
    else if (caller.shown === 'cookie') limits.page(caller.by, request.address);
    else if (caller.shown === 'forwarded') {
      // A node's connection carries many people's requests.
      if (request.socket !== undefined) connections?.admit(request.socket, null);
    } else {
      if (caller.shown === 'credential') limits.user(caller.by);
      if (request.socket !== undefined) connections?.admit(request.socket, caller.by.userId);
    }
    return caller;
  },
  async signIn(shown, from) {
    // Only a token can be used repeatedly; a link works once.
    const by = 'token' in shown ? await auth.authenticator.byToken(shown.token) : null;
    if (by !== null) limits.user(by);
    const made = await auth.signIn(shown, from);
    if (made === null) limits.stranger(from.address);
    return made;
  },
});
