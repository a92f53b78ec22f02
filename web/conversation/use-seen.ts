import { useEffect } from 'react';
import type { Session } from '../../src/contract/session.ts';
import { markSeen } from '../shell/seen-sessions.ts';
import { outputEnd } from '../shell/unread.ts';

/** Marks a session as seen while its page is visible. */
export function useSeen(session: Session): void {
  const { id } = session;
  const end = outputEnd(session);
  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === 'visible') markSeen(id, end);
    };
    check();
    document.addEventListener('visibilitychange', check);
    return () => document.removeEventListener('visibilitychange', check);
  }, [id, end]);
}
