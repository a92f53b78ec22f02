import type { Principal } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';
import type { Json } from '../contract/json.ts';
import type { Run } from '../contract/run.ts';
import type { Masker } from '../policy/masker.ts';
import type { Logger } from '../queue/logger.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { SecretBox } from '../secrets/box.ts';
import type { Page } from './service.ts';
import type { SessionWithFacts } from './session-record.ts';
import type { SessionStore } from './session-store.ts';

/* What the parts of the service share: who may see what, and pages. */

/** Most entries of a list unless told. */
export const PAGE_DEFAULT = 50;
/** Runs of one session that may be queued (H9). */
export const QUEUE_MAX = 1000;

export interface ServiceParts {
  readonly store: SessionStore;
  readonly queue: RunQueue;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  readonly box: SecretBox;
  readonly log: Logger;
  /** Something may be to be done for a session, such as preparing its workspace. */
  readonly onWork: () => void;
}

export const maySee = (by: Principal, { session }: SessionWithFacts): boolean =>
  by.role === 'admin' || session.ownerId === by.userId;

export function mustBeAdmin(by: Principal): void {
  if (by.role !== 'admin') throw new BatonError('forbidden');
}

export async function findSession(
  { store }: ServiceParts,
  by: Principal,
  id: string,
): Promise<SessionWithFacts> {
  const found = await store.getSession(id);
  if (found === null || !maySee(by, found)) throw new BatonError('not_found');
  return found;
}

export async function findRun(parts: ServiceParts, by: Principal, id: string): Promise<Run> {
  const run = await parts.queue.get(id);
  if (run === null) throw new BatonError('not_found');
  if (by.role !== 'admin') await findSession(parts, by, run.lane);
  return run;
}

/** One more than asked for was read, to know whether there is another page. */
export function pageOf<T, V>(
  found: readonly T[],
  limit: number,
  view: (item: T) => V,
  cursorOf: (last: T) => string,
): Page<V> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items: items.map(view), nextCursor: more ? cursorOf(last) : null };
}
