import type { Session } from '../../src/contract/session.ts';

/** What a session does right now, beside its status: ask, wait for a time, or work. */
export type Doing = 'asks' | 'delayed' | 'works' | null;

type Subject = Pick<
  Session,
  'status' | 'held' | 'unfinishedRuns' | 'openQuestions' | 'delayedUntil'
>;

export function doingOf(session: Subject): Doing {
  if (session.status !== 'ACTIVE' || session.unfinishedRuns === 0) return null;
  if (session.openQuestions > 0) return 'asks';
  if (session.delayedUntil !== null) return 'delayed';
  return session.held ? null : 'works';
}
