import { useEffect } from 'react';
import type { Session } from '../../src/contract/session.ts';
import { markSeen } from '../shell/seen.ts';

/** While its page is in sight, a session has been seen. */
export function useSeen({ id, lastActiveAt }: Session): void {
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') markSeen(id, lastActiveAt);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [id, lastActiveAt]);
}
