import { isAdmin, type Principal } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';
import type { Level } from '../contract/level.ts';
import type { Run } from '../contract/run.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { SessionFor, SessionStore } from './session-store.ts';

/* Lookups of sessions and runs, limited to what a caller may use (X3). */

interface Lookup {
  readonly store: Pick<SessionStore, 'getSessionFor'>;
}

interface RunLookup extends Lookup {
  readonly queue: Pick<RunQueue, 'get'>;
}

const HEIGHT: Record<Level, number> = { view: 1, operate: 2, own: 3 };

/** The caller's access to a session; null if they must not even learn that it exists. */
const levelOf = (by: Principal, { current, share }: SessionFor): Level | null =>
  isAdmin(by) || current.session.ownerId === by.userId ? 'own' : share;

/** The caller's access to a session from a list, which contains only sessions that they can see. */
export const levelOfListed = (by: Principal, current: SessionWithFacts): Level =>
  levelOf(by, { current, share: current.share ?? null }) ?? 'view';

export interface SessionWithLevel extends SessionWithFacts {
  readonly level: Level;
}

/**
 * Throws `not_found` if the caller cannot see the session, `forbidden` if their access is too low.
 */
export async function findSession(
  parts: Lookup,
  by: Principal,
  id: string,
  level: Level,
): Promise<SessionWithLevel> {
  const { store } = parts;
  const known = await store.getSessionFor(id, by.userId);
  const has = known === null ? null : levelOf(by, known);
  if (known === null || has === null) throw new BatonError('not_found');
  if (HEIGHT[has] < HEIGHT[level]) throw tooLow(level);
  return { ...known.current, level: has };
}

/** Access depends on the run's session; only admins can access runs without a session. */
export async function findRun(
  parts: RunLookup,
  by: Principal,
  id: string,
  level: Level,
): Promise<Run> {
  const run = await parts.queue.get(id);
  if (run === null) throw new BatonError('not_found');
  if (!isAdmin(by)) await findSession(parts, by, run.lane, level);
  return run;
}

const tooLow = (level: Level): BatonError =>
  new BatonError(
    'forbidden',
    level === 'own'
      ? "Only the session's owner or an admin can do this."
      : 'You have view-only access to this session.',
  );
