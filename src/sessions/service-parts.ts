import type { AccessStore, Audited } from '../access/access-store.ts';
import { isAdmin, type Principal } from '../access/principal.ts';
import { requireRight } from '../access/require-right.ts';
import { BatonError } from '../contract/errors.ts';
import type { Json } from '../contract/json.ts';
import type { Level } from '../contract/level.ts';
import type { Run } from '../contract/run.ts';
import type { AgentKind } from '../contract/session.ts';
import type { Masker } from '../policy/masking/masker.ts';
import type { OwnFiles } from '../policy/tools/own-files.ts';
import type { Logger } from '../queue/logger.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Store } from '../queue/store.ts';
import type { SecretBox } from '../secrets/box.ts';
import type { ApprovalStore } from './approvals/approval-store.ts';
import type { SteerStore } from './messages/steer-store.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { SessionFor, SessionStore } from './session-store.ts';

/* What the parts of the service share: who may do what, and pages. */

/** Runs of one session that may be queued (H9), at most. */
export const QUEUE_MAX = 1000;

type Ports = Pick<Store, 'change' | 'onHint' | 'listNodes' | 'time'> &
  SessionStore &
  ApprovalStore &
  SteerStore &
  Pick<AccessStore, 'listShares' | 'putShares' | 'findUser'>;
/** Where sessions are kept; what a person changes is written through `audited` (P6). */
export type ServiceStore = Ports & Audited<Ports>;

export interface ServiceParts {
  readonly store: ServiceStore;
  /** Runs of a session that may be queued; the most of all unless told. */
  readonly queueMax?: number;
  readonly queue: RunQueue;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  /** For calls of tools: no mask covers shell syntax (P4). */
  readonly maskCall: (input: Json) => Json;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly ownFiles: OwnFiles;
  /** Something may be to be done for a session, such as preparing its workspace. */
  readonly onWork: () => void;
  /** Whether an agent can be given messages while at work. */
  readonly steers: (kind: AgentKind) => boolean;
  /** Everything is stopped, as far as this node knows: a moment ago it may have been otherwise. */
  readonly isStopped: () => boolean;
  /** The rules refused a message, for whoever counts. */
  readonly onDenied?: () => void;
}

const HEIGHT: Record<Level, number> = { view: 1, operate: 2, own: 3 };

/** What a session is to somebody; null is nothing, not even that it is there. */
const levelOf = (by: Principal, { found, share }: SessionFor): Level | null =>
  isAdmin(by) || found.session.ownerId === by.userId ? 'own' : share;

/** Of one in the list of what somebody may see. */
export const levelOfListed = (by: Principal, found: SessionWithFacts): Level =>
  levelOf(by, { found, share: found.share ?? null }) ?? 'view';

export interface SessionWithLevel extends SessionWithFacts {
  readonly level: Level;
}

/** A foreign session answers as one that is not there; one that is shared says how far it is. */
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
  return { ...known.found, level: has };
}

/** Whoever only may read changes nothing, also not what is theirs. */
export async function findToChange(
  parts: ServiceParts,
  by: Principal,
  id: string,
  level: Level = 'operate',
): Promise<SessionWithLevel> {
  requireRight(by, 'run');
  return findSession(parts, by, id, level);
}

/** Through its session; a run of none is for admins. */
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
      ? 'Only the owner of the session, or an admin, may do that.'
      : 'The session is shared with you to look at only.',
  );
