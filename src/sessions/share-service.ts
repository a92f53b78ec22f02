import type { ShareRecord } from '../access/access-store.ts';
import type { Authorised } from '../access/principal.ts';
import type { PutShares, Share } from '../contract/access.ts';
import { BatonError } from '../contract/errors.ts';
import type { Json } from '../contract/values/json.ts';
import { onSession } from './audit-details.ts';
import { findSession } from './find-session.ts';
import type { ServiceParts } from './service-parts.ts';

/** Who a session is shared with, and at which level. Only its owner or an admin decides this. */
export interface ShareService {
  list(by: Authorised<'read'>, sessionId: string): Promise<Share[]>;
  /** Replaces all shares of the session. */
  put(by: Authorised<'run'>, sessionId: string, body: PutShares): Promise<Share[]>;
}

export function shareService(parts: Pick<ServiceParts, 'store' | 'log'>): ShareService {
  const { store, log } = parts;
  return {
    async list(by, id) {
      await findSession(parts, by, id, 'own');
      return store.listShares(id);
    },

    async put(by, id, body) {
      const { session } = await findSession(parts, by, id, 'own');
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
  { store }: Pick<ServiceParts, 'store'>,
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
