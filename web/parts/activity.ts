import type { Session } from '../../src/contract/session.ts';

/** What a session is doing right now, in addition to its status. */
export type Activity = 'asking' | 'delayed' | 'working' | null;

type Subject = Pick<
  Session,
  'status' | 'held' | 'unfinishedRuns' | 'openQuestions' | 'delayedUntil'
>;

export function activityOf(session: Subject): Activity {
  if (session.status !== 'ACTIVE' || session.unfinishedRuns === 0) return null;
  if (session.openQuestions > 0) return 'asking';
  if (session.delayedUntil !== null) return 'delayed';
  return session.held ? null : 'working';
}
