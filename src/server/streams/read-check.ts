import type { Authenticator } from '../../access/authenticator.ts';
import { isAdmin, may, type Principal } from '../../access/principal.ts';
import type { Right } from '../../contract/access.ts';
import type { LogService } from '../../sessions/logs/log-service.ts';

/** Results shared by one round of checks, because many streams belong to the same people. */
export type CheckCache = Map<string, Promise<unknown>>;
export type ReadCheck = (cache: CheckCache) => Promise<boolean>;

/**
 * A stream may continue as long as the credential it was opened with is valid and has `needs`, the
 * right that its route requires, and its user can see the session. If the user's role has changed,
 * the stream ends and its reader reconnects with the new role. Throws if this cannot be checked at
 * the moment.
 */
export function canStillRead(
  authenticator: Pick<Authenticator, 'recheck'>,
  logs: Pick<LogService, 'canSee'>,
  by: Principal,
  sessionId: string | null,
  needs: Right = 'read',
): ReadCheck {
  return async (cache) => {
    const now = await validReader(authenticator, by, cache);
    if (now === null || !may(now, needs)) return false;
    if (sessionId === null || isAdmin(now)) return true;
    const key = `${by.credential} ${sessionId}`;
    return await once(cache, key, () => logs.canSee(now, sessionId));
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

function once<T>(cache: CheckCache, key: string, check: () => Promise<T>): Promise<T> {
  const result = (cache.get(key) as Promise<T> | undefined) ?? check();
  cache.set(key, result);
  return result;
}
