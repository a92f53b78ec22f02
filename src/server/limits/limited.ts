import type { RequestAuthenticator } from '../auth.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import type { Limits } from './limits.ts';

/**
 * Says who asks, unless that is once too often; the same for requests and for upgrades. A valid
 * credential is never refused because of its address: who shares it with strangers must not suffer.
 * For the same reason only a failed attempt to sign in counts as a stranger's; a sign-in with a token
 * counts like any other request with it. The cookie alone, which other ports of the host get too (X4),
 * makes no connection a user's.
 */
export const limited = (
  auth: RequestAuthenticator,
  limits: Limits,
  connections?: Pick<ConnectionGuard, 'admit'>,
): RequestAuthenticator => ({
  ...auth,
  async authenticate(request) {
    const found = await auth.authenticate(request);
    if (found === null) limits.stranger(request.address);
    else if (found.shown === 'cookie') limits.page(found.by, request.address);
    else {
      if (found.shown === 'credential') limits.user(found.by);
      if (request.socket !== undefined) connections?.admit(request.socket);
    }
    return found;
  },
  async signIn(shown, from) {
    // A link works once, a token any number of times.
    const by = 'token' in shown ? await auth.authenticator.byToken(shown.token) : null;
    if (by !== null) limits.user(by);
    const made = await auth.signIn(shown, from);
    if (made === null) limits.stranger(from.address);
    return made;
  },
});
