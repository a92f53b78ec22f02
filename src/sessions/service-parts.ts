import type { AccessStore, Audited } from '../access/access-store.ts';
import { isAdmin, type Principal } from '../access/principal.ts';
import { requireRight } from '../access/require-right.ts';
import { BatonError } from '../contract/errors.ts';
import type { Json } from '../contract/json.ts';
import type { Level } from '../contract/level.ts';
import type { Run } from '../contract/run.ts';
import type { Masker } from '../policy/masking/masker.ts';
import type { OwnFiles } from '../policy/tools/own-files.ts';
import type { Logger } from '../queue/logger.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Store } from '../queue/store.ts';
import type { SecretBox } from '../secrets/box.ts';
import type { ApprovalStore } from './approvals/approval-store.ts';
import type { HostStore } from './host-store.ts';
import type { SteerStore } from './messages/steer-store.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { SessionFor, SessionStore } from './session-store.ts';

/*
 * Shared by the parts of the session service: their dependencies, and lookups limited to what a
 * caller may use.
 */

/** How many runs of one session may be queued (H9). */
export const QUEUE_MAX = 1000;

type Ports = Pick<Store, 'change' | 'onHint'> &
  SessionStore &
  Pick<HostStore, 'listHosts' | 'isDataShared'> &
  ApprovalStore &
  SteerStore &
  Pick<AccessStore, 'listShares' | 'putShares' | 'findUser'>;
/** Changes made by people are written through `audited` (P6). */
export type ServiceStore = Ports & Audited<Ports>;

export interface ServiceParts {
  readonly store: ServiceStore;
  /** How many runs of one session may be queued; `QUEUE_MAX` by default. */
  readonly queueMax?: number;
  readonly queue: RunQueue;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  /** For tool calls: no mask covers shell syntax (P4). */
  readonly maskCall: (input: Json) => Json;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly ownFiles: OwnFiles;
  /** The home directory of agents, for `~` in a call that is judged without its runtime. */
  readonly home: string;
  /** Called when a session may need work, such as preparing its workspace. */
  readonly onWork: () => void;
  /**
   * Whether everything is stopped, as far as this node knows; its knowledge may be a moment old.
   */
  readonly isStopped: () => boolean;
  /** Called when the rules refuse a message, for metrics. */
  readonly onDenied?: () => void;
}

const HEIGHT: Record<Level, number> = { view: 1, operate: 2, own: 3 };

/** The caller's access to a session; null if they must not even learn that it exists. */
const levelOf = (by: Principal, { current, share }: SessionFor): Level | null =>
  isAdmin(by) || current.session.ownerId === by.userId ? 'own' : share;

/** The caller's access to a session in a list of those they can see. */
export const levelOfListed = (by: Principal, current: SessionWithFacts): Level =>
  levelOf(by, { current, share: current.share ?? null }) ?? 'view';

export interface SessionWithLevel extends SessionWithFacts {
  readonly level: Level;
}

/**
 * Throws `not_found` if the caller cannot see the session, `forbidden` if their access is too low.
 */
export async function findSession(
  parts: ServiceParts,
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

/** For changes. Also requires the `run` right, even from the session's owner. */
export async function findToChange(
  parts: ServiceParts,
  by: Principal,
  id: string,
  level: Level = 'operate',
): Promise<SessionWithLevel> {
  requireRight(by, 'run');
  return findSession(parts, by, id, level);
}

/** Access depends on the run's session; runs without a session are only for admins. */
export async function findRun(
  parts: ServiceParts,
  by: Principal,
  id: string,
  level: Level,
): Promise<Run> {
  const run = await parts.queue.get(id);
  if (run === null) throw new BatonError('not_found');
  if (!isAdmin(by)) await findSession(parts, by, run.lane, level);
  return run;
}

export async function findRunToChange(
  parts: ServiceParts,
  by: Principal,
  id: string,
): Promise<Run> {
  requireRight(by, 'run');
  return findRun(parts, by, id, 'operate');
}

const tooLow = (level: Level): BatonError =>
  new BatonError(
    'forbidden',
    level === 'own'
      ? "Only the session's owner or an admin can do this."
      : 'You have view-only access to this session.',
  );
