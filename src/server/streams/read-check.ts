import type { Authenticator } from '../../access/authenticator.ts';
import { type Authorised, isAdmin, may, type Principal } from '../../access/principal.ts';
import type { Right } from '../../contract/access.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';

/** Results shared by one round of checks, because many streams belong to the same people. */
export type CheckCache = Map<string, Promise<unknown>>;
export type ReadCheck = (cache: CheckCache) => Promise<boolean>;

/**
 * A stream may continue as long as the credential it was opened with is valid and its user can read
 * the session. If the user's role has changed, the stream ends and its reader reconnects with the
 * new role. `needs` is the right that its route requires. Throws if this cannot be checked at the
 * moment.
 */
export function canStillRead(
  authenticator: Pick<Authenticator, 'recheck'>,
  logs: Pick<LogService, 'ofSession'>,
  by: Principal,
  sessionId: string | null,
  needs: Right = 'read',
): ReadCheck {
  return async (cache) => {
    const now = await validReader(authenticator, by, cache);
    if (now === null || !may(now, needs)) return false;
    if (sessionId === null || isAdmin(now)) return true;
    // If `needs` is not `read`, nothing is read from the session: this only checks whether the user
    // can still see it.
    const key = `${by.credential} ${sessionId}`;
    return await once(cache, key, () => sees(logs, now, sessionId));
  };
}

/**
 * Whether a download that belongs to no session may continue. Exports also use this check, because
 * they find out for themselves whether their session can still be read.
 */
export function isStillValid(
  authenticator: Pick<Authenticator, 'recheck'>,
  by: Principal,
): ReadCheck {
  return async (cache) => (await validReader(authenticator, by, cache)) !== null;
}

async function validReader(
  authenticator: Pick<Authenticator, 'recheck'>,
  by: Principal,
  cache: CheckCache,
): Promise<Principal | null> {
  const known = await once(cache, String(by.credential), () => authenticator.recheck(by));
  return known?.by.role === by.role ? known.by : null;
}

async function sees(
  logs: Pick<LogService, 'ofSession'>,
  by: Authorised<'read'>,
  sessionId: string,
): Promise<boolean> {
  try {
    await logs.ofSession(by, sessionId);
    return true;
  } catch (error) {
    if (isBatonError(error, 'not_found') || isBatonError(error, 'forbidden')) return false;
    throw error;
  }
}

function once<T>(cache: CheckCache, key: string, check: () => Promise<T>): Promise<T> {
  const result = (cache.get(key) as Promise<T> | undefined) ?? check();
  cache.set(key, result);
  return result;
}
