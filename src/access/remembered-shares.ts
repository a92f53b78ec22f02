import type { ShareLevel } from '../contract/access.ts';
import type { Store } from '../queue/store.ts';
import type { AccessStore } from './access-store.ts';
import { Remembered } from './remembered.ts';

export type ShareOf = (sessionId: string, userId: string) => Promise<ShareLevel | null>;

const REMEMBER_MS = 1000;
const REMEMBER_MOST = 10_000;

/**
 * What of a session is shared with somebody, as the gate knows who somebody is: remembered for a
 * second, and forgotten when any node changes what somebody may do.
 */
export function rememberedShares(
  store: Pick<AccessStore, 'getShare'> & Pick<Store, 'onHint'>,
  now: () => number = () => performance.now(),
): ShareOf {
  // Neither id has a space.
  const shares = new Remembered<ShareLevel>(
    (key) => store.getShare(...(key.split(' ') as [string, string])),
    { forMs: REMEMBER_MS, most: REMEMBER_MOST, now },
  );
  store.onHint(({ access }) => {
    if (access === true) shares.forgetAll();
  });
  return (sessionId, userId) => shares.get(`${sessionId} ${userId}`);
}
