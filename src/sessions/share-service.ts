import type { ShareRecord } from '../access/access-store.ts';
import type { PutShares } from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import type { Json } from '../contract/json.ts';
import { onSession } from './audit-details.ts';
import type { SessionService } from './service.ts';
import { findSession, findToChange, type ServiceParts } from './service-parts.ts';

/** Who a session is shared with, and at which level. Only its owner or an admin decides. */
export function shareService(parts: ServiceParts): Pick<SessionService, 'shares' | 'share'> {
  const { store, log } = parts;
  return {
    async shares(by, id) {
      await findSession(parts, by, id, 'own');
      return store.listShares(id);
    },

    async share(by, id, body) {
      const { session } = await findToChange(parts, by, id, 'own');
      const wanted = await resolve(parts, session.ownerId, body);
      const before = levels(await store.listShares(id));
      const entry = onSession(by, 'session.share', id, { before, after: levels(wanted) });
      const shares = await store.audited(entry).putShares(id, wanted);
      log.info({ sessionId: id, shares: shares.length }, 'Session shared');
      return shares;
    },
  };
}

async function resolve(
  { store }: ServiceParts,
  ownerId: string,
  { shares }: PutShares,
): Promise<ShareRecord[]> {
  const wanted = new Map<string, ShareRecord>();
  for (const [i, { user, level }] of shares.entries()) {
    const details = { field: `shares.${i}.user` };
    const known = await store.findUser(user);
    if (known === null) throw new BatonError('unknown_user', undefined, { details });
    const { id: userId, name: userName } = known;
    if (userId === ownerId) {
      throw new BatonError('invalid_request', 'This user owns the session.', { details });
    }
    if (wanted.has(userId)) {
      throw new BatonError('invalid_request', 'This user is listed twice.', { details });
    }
    wanted.set(userId, { userId, userName, level });
  }
  return [...wanted.values()];
}

/** Keyed by user id, because names change. */
const levels = (shares: readonly ShareRecord[]): Json =>
  Object.fromEntries(shares.map(({ userId, level }) => [userId, level]));
