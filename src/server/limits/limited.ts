import type { Authenticator } from '../auth.ts';
import type { Limits } from './limits.ts';

/**
 * Says who asks, unless that is once too often; the same for requests and for upgrades. A valid
 * credential is never refused because of its address: who shares it with strangers must not suffer.
 */
export const limited = (auth: Authenticator, limits: Limits): Authenticator => ({
  ...auth,
  async authenticate(request) {
    const found = await auth.authenticate(request);
    if (found === null) limits.stranger(request.address);
    else limits.user(found.by);
    return found;
  },
});
