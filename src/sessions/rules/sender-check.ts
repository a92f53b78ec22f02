import type { AccessStore } from '../../access/access-store.ts';
import { RIGHTS_OF, type Right } from '../../contract/access.ts';
import type { SessionStore } from '../session-store.ts';

export type SenderStore = Pick<AccessStore, 'getUser'> & Pick<SessionStore, 'getSessionFor'>;

/**
 * Whether a person may use a session now. Queued work outlives the request that created it, so the
 * person's account, role and shares are read again when the work starts (X2, X3).
 */
export async function mayUse(
  store: SenderStore,
  userId: string,
  sessionId: string,
  right: Extract<Right, 'read' | 'run'>,
): Promise<boolean> {
  const [user, known] = await Promise.all([
    store.getUser(userId),
    store.getSessionFor(sessionId, userId),
  ]);
  if (user === null || user.disabledAt !== null || known === null) return false;
  const rights = RIGHTS_OF[user.role];
  if (!rights.includes(right)) return false;
  if (rights.includes('admin') || known.current.session.ownerId === userId) return true;
  return right === 'read' ? known.share !== null : known.share === 'operate';
}
