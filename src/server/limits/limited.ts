import type { Authenticator } from '../auth.ts';
import type { ConnectionGuard } from './connection-guard.ts';
import type { Limits } from './limits.ts';

/**
 * Says who asks, unless that is once too often; the same for requests and for upgrades. A valid
 * credential is never refused because of its address: who shares it with strangers must not suffer.
 * What is shown to sign in by is not known before it was looked at, so each attempt counts.
 */
export const limited = (
  auth: Authenticator,
  limits: Limits,
  connections?: Pick<ConnectionGuard, 'admit'>,
): Authenticator => ({
  ...auth,
  async authenticate(request) {
    const found = await auth.authenticate(request);
    if (found === null) limits.stranger(request.address);
    else {
      limits.user(found.by);
      if (request.socket !== undefined) connections?.admit(request.socket);
    }
    return found;
  },
  async signIn(shown, from) {
    limits.stranger(from.address);
    return await auth.signIn(shown, from);
  },
});
