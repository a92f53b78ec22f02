import { isAdmin, may, type Principal } from '../../access/principal.ts';
import type { Authenticator } from '../../access/service.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { SessionService } from '../../sessions/service.ts';

/** Results shared by one round of checks: many streams belong to the same people. */
export type CheckCache = Map<string, Promise<unknown>>;
export type ReadCheck = (cache: CheckCache) => Promise<boolean>;

/**
 * A stream may continue as long as the credential it was opened with is valid and its user can read
 * the session. If the user's role has changed, the stream ends and its reader reconnects with the
 * new role. Throws if this cannot be checked at the moment.
 */
export function canStillRead(
  authenticator: Pick<Authenticator, 'recheck'>,
  service: Pick<SessionService, 'sessionLog'>,
  by: Principal,
  sessionId: string | null,
): ReadCheck {
  return async (cache) => {
    const now = await validReader(authenticator, by, cache);
    if (now === null || !may(now, 'read')) return false;
    if (sessionId === null || isAdmin(now)) return true;
    const key = `${by.credential} ${sessionId}`;
    return await once(cache, key, () => sees(service, now, sessionId));
  };
}

/** Whether a download may continue: one of a session checks itself whether it can still be read. */
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
  service: Pick<SessionService, 'sessionLog'>,
  by: Principal,
  sessionId: string,
): Promise<boolean> {
  try {
    await service.sessionLog(by, sessionId);
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
