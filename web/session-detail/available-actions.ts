import type { Me } from '../../src/contract/access.ts';
import { PROTECTED_LABELS } from '../../src/contract/limits.ts';
import type { Session, SessionStatus } from '../../src/contract/session.ts';

/** Something a user can do to a session. */
export type SessionAction =
  | 'complete'
  | 'terminate'
  | 'reopen'
  | 'retry'
  | 'hold'
  | 'resume'
  | 'fork'
  | 'archive'
  | 'delete';

type Subject = Pick<
  Session,
  'status' | 'level' | 'held' | 'unfinishedRuns' | 'archivedAt' | 'labels'
>;

const hasEnded = (status: SessionStatus): boolean =>
  status === 'COMPLETED' || status === 'TERMINATED';

export const mayWork = (session: Pick<Session, 'level'>, me: Pick<Me, 'rights'>): boolean =>
  me.rights.includes('run') && session.level !== 'view';

export const mayOwn = (session: Pick<Session, 'level'>, me: Pick<Me, 'rights'>): boolean =>
  me.rights.includes('run') && session.level === 'own';

export const isProtected = ({ labels }: Pick<Session, 'labels'>): boolean =>
  labels.some((label) => PROTECTED_LABELS.includes(label));

/** The actions that the status and the user's rights allow, most helpful first. */
export function availableActions(session: Subject, me: Pick<Me, 'rights'>): SessionAction[] {
  if (!mayWork(session, me)) return [];
  const { status, held, unfinishedRuns, archivedAt } = session;
  const ended = hasEnded(status);
  const quiet = unfinishedRuns === 0;
  const actions: [SessionAction, boolean][] = [
    ['resume', held],
    ['retry', status === 'ERROR'],
    ['reopen', ended],
    ['hold', !held && !ended],
    ['complete', !ended && quiet],
    ['fork', true],
    ['terminate', status !== 'TERMINATED'],
    ['archive', archivedAt === null && quiet],
    ['delete', mayOwn(session, me) && !isProtected(session)],
  ];
  return actions.flatMap(([action, isAvailable]) => (isAvailable ? [action] : []));
}
