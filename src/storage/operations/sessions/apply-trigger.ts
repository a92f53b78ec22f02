import { move, type Trigger } from '../../../sessions/session-machine.ts';
import type { StatusChange } from '../../../sessions/session-store.ts';
import type { StoredSession } from '../../session-rows.ts';
import type { Op } from '../../statement.ts';
import type { Dialect } from '../dialect.ts';
import type { LoadedSession } from './load.ts';

/** A session to which a trigger has been applied, but which has not been stored yet. */
export interface Triggered {
  readonly session: StoredSession;
  readonly changes: readonly StatusChange[];
}

/** Applies a trigger to a session and, if its status changes, logs that to its lane (S1, S8). */
export function applyTrigger(
  { change, session, facts }: LoadedSession,
  trigger: Trigger,
  error: string | null = null,
): Triggered {
  const standing = move(session, trigger, facts, error);
  if (standing === null) return { session, changes: [] };
  const status: StatusChange = {
    sessionId: session.id,
    from: session.status,
    to: standing.status,
    reason: standing.statusReason,
  };
  const { from, to, reason } = status;
  const failure = standing.error === null ? {} : { error: standing.error };
  change.log('session.status', { from, to, reason, ...failure }, null);
  return { session: { ...session, ...standing, updatedAt: facts.now }, changes: [status] };
}

/** Stores a session and the logged events. */
export function* saveTriggered(
  dialect: Dialect,
  { change }: Pick<LoadedSession, 'change'>,
  session: StoredSession,
): Op<void> {
  yield* dialect.saveSessions([session]);
  if (change.events.length > 0) yield* dialect.save([change]);
}
