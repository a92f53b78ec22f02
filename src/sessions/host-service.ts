import { setTimeout as delay } from 'node:timers/promises';
import { requireRight } from '../access/require-right.ts';
import { BatonError, isBatonError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import { isTerminal } from '../contract/run.ts';
import type { WorkspaceSpec } from '../contract/session.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import { onSession } from './audit-details.ts';
import type { HostRecord, HostRef } from './host-store.ts';
import type { SessionService } from './service.ts';
import { findSession, type ServiceParts, type ServiceStore } from './service-parts.ts';
import { toSession } from './views.ts';
import { WORKSPACE_RUN, WorkspaceCheck } from './workspace-run.ts';

/* The host of a session: chosen when the session is created, changed by an admin (Q23). */

/** How long a host's workers may take to say whether they have a workspace. */
const ANSWER_MS = 20_000;
const ASK_EVERY_MS = 50;

type Hosts = Pick<ServiceStore, 'listHosts'>;

/**
 * The id of the host that a new session is pinned to, or null. It may be away: the session waits for
 * it. An existing directory lives on one host; if there are workers on several, it would be left to
 * chance which one uses it, so the request must name a host.
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

/** By id or by name; an id comes first. */
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

/** What is missing: `worker is running`, for example. */
export const hostAway = ({ id, name }: HostRef, missing: string, cause?: unknown): BatonError =>
  new BatonError('host_away', `No ${missing} on the host "${name}". Try again later.`, {
    details: { host: id, hostName: name },
    cause,
  });

export function hostService(
  parts: ServiceParts,
): Pick<SessionService, 'hosts' | 'move' | 'hostOf'> {
  const { store, queue, log, onWork, isStopped } = parts;
  return {
    async hostOf(by, id, here) {
      const { host, hostName } = await findSession(parts, by, id, 'view');
      if (host !== null) return { id: host, name: hostName ?? host };
      if (!(await store.isDataShared())) return null;
      const live = (await store.listHosts()).filter(({ alive }) => alive);
      return live.find((each) => each.id === here) ?? live[0] ?? null;
    },

    async hosts(by) {
      requireRight(by, 'run');
      return store.listHosts();
    },

    async move(by, id, body) {
      requireRight(by, 'admin');
      const { level, ...current } = await findSession(parts, by, id, 'own');
      // It may be there although nothing is known about that host any more.
      if (current.host === body.host) return toSession(current, level);
      const to = findHost(await store.listHosts(), body.host, 'host');
      if (current.host === to.id) return toSession(current, level);
      if (!to.alive) throw hostAway(to, 'worker is running');
      if (isStopped()) throw new BatonError('everything_stopped');
      const seen = await askHost(queue, to, id);
      if ('problem' in seen) {
        throw new BatonError(
          'workspace_unreachable',
          `The workspace of this session is not usable on "${to.name}": ${seen.problem}`,
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

/** Asks a worker on that host. It only reads, so nothing is half done if a process dies. */
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
  // All slots of the host may be taken, or its workers have just died.
  throw hostAway(to, 'worker answered in time');
}
