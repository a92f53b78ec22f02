import { isAdmin, may, type Principal } from '../../access/principal.ts';
import type { Authenticator } from '../../access/service.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { SessionService } from '../../sessions/service.ts';

/** What one look at all streams has found out already: many are of the same people. */
export type Look = Map<string, Promise<unknown>>;
export type StillMay = (look: Look) => Promise<boolean>;

/**
 * Whether a stream may go on: the credential it was opened with is still valid, and the session still
 * theirs to read. With another role they come back as who they are now. Throws if that cannot be
 * known at the moment.
 */
export function stillMay(
  authenticator: Pick<Authenticator, 'again'>,
  service: Pick<SessionService, 'sessionLog'>,
  by: Principal,
  sessionId: string | null,
): StillMay {
  return async (look) => {
    const known = await once(look, String(by.credential), () => authenticator.again(by));
    if (known === null || known.by.role !== by.role || !may(known.by, 'read')) return false;
    if (sessionId === null || isAdmin(known.by)) return true;
    const key = `${by.credential} ${sessionId}`;
    return await once(look, key, () => sees(service, known.by, sessionId));
  };
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

function once<T>(look: Look, key: string, find: () => Promise<T>): Promise<T> {
  const found = (look.get(key) as Promise<T> | undefined) ?? find();
  look.set(key, found);
  return found;
}
