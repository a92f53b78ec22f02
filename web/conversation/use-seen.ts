import { useEffect } from 'react';
import type { Session } from '../../src/contract/session.ts';
import { markSeen } from '../shell/seen-sessions.ts';
import { outputMark } from '../shell/unread.ts';

/** While its page is in sight, a session has been seen. */
export function useSeen(session: Session): void {
  const { id } = session;
  const mark = outputMark(session);
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') markSeen(id, mark);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [id, mark]);
}
