import type { Session } from '../../src/contract/session.ts';

/** What a session does right now, beside its status: ask, wait for a time, or work. */
export type Doing = 'asks' | 'delayed' | 'works' | null;

type Subject = Pick<Session, 'status' | 'held' | 'unfinishedRuns' | 'delayedUntil'>;

/** As far as a list of sessions can tell; `asks`: a question of its agent is open. */
export function doingOf(session: Subject, asks: boolean): Doing {
  if (session.status !== 'ACTIVE' || session.unfinishedRuns === 0) return null;
  if (asks) return 'asks';
  if (session.delayedUntil !== null) return 'delayed';
  return session.held ? null : 'works';
}
