import { setTimeout as delay } from 'node:timers/promises';
import type { Authorised, Principal } from '../access/principal.ts';
import { BatonError, isBatonError } from '../contract/errors.ts';
import { isTerminal } from '../contract/run.ts';
import type { MoveSession, Session, WorkspaceSpec } from '../contract/session.ts';
import { newId } from '../contract/values/ids.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import { onSession } from './audit-details.ts';
import { findSession } from './find-session.ts';
import type { HostRecord, HostRef } from './host-store.ts';
import type { ServiceParts, ServiceStore } from './service-parts.ts';
import { toSession } from './views.ts';
import { WORKSPACE_RUN, WorkspaceCheck } from './workspace-run.ts';

/* A session's host: it is chosen when the session is created, and an admin can change it (Q23). */

/** How long a host's workers may take to say whether they have a workspace. */
const ANSWER_MS = 20_000;
const ASK_EVERY_MS = 50;

type Hosts = Pick<ServiceStore, 'listHosts'>;

/**
 * The id of the host that a new session is pinned to, or null. If that host is away, the session
 * waits for it. An existing directory is on only one host, so if several hosts have workers, the
 * request must name one; otherwise chance would decide which of them uses it.
 */
export async function hostFor(
  store: Hosts,
  { path }: WorkspaceSpec,
  host: string | null,
): Promise<string | null> {
  if (host === null && path === undefined) return null;
  const hosts = await store.listHosts();
  if (host !== null) return findHost(hosts, host, 'workspace.host').id;
  const live = hosts.filter(({ alive }) => alive).map(({ name }) => name);
  if (live.length <= 1) return null;
  throw new BatonError(
    'invalid_request',
    `Workers run on several hosts (${live.join(', ')}). Set workspace.host to the one that has ${path}.`,
    { details: { field: 'workspace.host', hosts: live } },
  );
}

/** Finds a host by id or name; a matching id takes precedence. */
function findHost(hosts: readonly HostRecord[], wanted: string, field: string): HostRecord {
  const known = hosts.find(({ id }) => id === wanted) ?? hosts.find(({ name }) => name === wanted);
  if (known !== undefined) return known;
  const names = hosts.map(({ name, alive }) => (alive ? name : `${name} (away)`));
  throw new BatonError(
    'invalid_request',
    `There is no host "${wanted}". Known hosts: ${names.join(', ') || 'none'}.`,
    { details: { field, hosts: hosts.map(({ name }) => name) } },
  );
}

/** `missing` completes the sentence "No … on the host", for example with `worker is running`. */
export const hostAway = ({ id, name }: HostRef, missing: string, cause?: unknown): BatonError =>
  new BatonError('host_away', `No ${missing} on the host "${name}". Try again later.`, {
    details: { host: id, hostName: name },
    cause,
  });

export interface HostService {
  /** The hosts that run agents. */
  list(by: Authorised<'run'>): Promise<HostRecord[]>;
  /**
   * A host that has the session's files: the host that the session is pinned to or, with a shared
   * data directory, any live host, `here` if possible. Null if there are no files. Throws
   * `host_away` if no host that shares the directory is live.
   */
  hostOf(by: Principal, sessionId: string, here: string): Promise<HostRef | null>;
  /** Moves a session to a host that already has its workspace; queued runs execute there (Q23). */
  move(by: Authorised<'admin'>, sessionId: string, body: MoveSession): Promise<Session>;
}

export function hostService(
  parts: Pick<ServiceParts, 'store' | 'queue' | 'log' | 'onWork' | 'isStopped'>,
): HostService {
  const { store, queue, log, onWork, isStopped } = parts;
  return {
    async hostOf(by, id, here) {
      const { host, hostName } = await findSession(parts, by, id, 'view');
      if (host !== null) return { id: host, name: hostName ?? host };
      if (!(await store.isDataShared())) return null;
      const hosts = await store.listHosts();
      const own = hosts.find((each) => each.id === here);
      const other = hosts.find(({ alive }) => alive);
      // A host that runs agents has the directory, even while its worker is down.
      const found = own?.alive === true ? own : (other ?? own);
      if (found !== undefined) return found;
      throw new BatonError('host_away', 'No host with the shared data directory is running.');
    },

    list: () => store.listHosts(),

    async move(by, id, body) {
      const { level, ...current } = await findSession(parts, by, id, 'own');
      // The session may already be on that host, even if the host is no longer listed.
      if (current.host === body.host) return toSession(current, level);
      const to = findHost(await store.listHosts(), body.host, 'host');
      if (current.host === to.id) return toSession(current, level);
      if (!to.alive) throw hostAway(to, 'worker is running');
      if (isStopped()) throw new BatonError('everything_stopped');
      const seen = await askHost(queue, to, id);
      if ('problem' in seen) {
        throw new BatonError(
          'workspace_unreachable',
          `This session's workspace cannot be used on "${to.name}": ${seen.problem}`,
          { details: { host: to.id } },
        );
      }
      const from = { host: current.host, hostName: current.hostName };
      const after = { host: to.id, hostName: to.name };
      const entry = onSession(by, 'session.move', id, { before: from, after });
      const command = { do: 'move', host: to.id, path: seen.path } as const;
      const { current: moved } = await store.audited(entry).changeSession(id, command);
      log.info({ sessionId: id, from: from.hostName, to: to.name }, 'Session moved');
      onWork();
      return toSession(moved, level);
    },
  };
}

/**
 * Asks a worker on that host. The check only reads, so nothing is left half done if a process dies.
 */
async function askHost(
  queue: RunQueue,
  to: HostRecord,
  sessionId: string,
): Promise<WorkspaceCheck> {
  const lane = newId();
  await queue.configure(lane, { host: to.id });
  const { id } = await queue.enqueue({ type: WORKSPACE_RUN, lane, payload: { sessionId } });
  const until = performance.now() + ANSWER_MS;
  for (;;) {
    const run = await queue.get(id);
    if (run?.state === 'succeeded') return WorkspaceCheck.parse(run.result);
    if (run === null || isTerminal(run.state)) {
      return { problem: run?.error?.message ?? 'It could not be checked.' };
    }
    if (performance.now() > until) break;
    await delay(ASK_EVERY_MS);
  }
  await queue.cancel(id).catch((error: unknown) => {
    if (!isBatonError(error, 'run_finished')) throw error;
  });
  // All of the host's slots may be taken, or its workers have just died.
  throw hostAway(to, 'worker responded in time');
}
