import { setTimeout as delay } from 'node:timers/promises';
import { requireRight } from '../access/require-right.ts';
import { BatonError, isBatonError } from '../contract/errors.ts';
import { newId } from '../contract/ids.ts';
import { isTerminal } from '../contract/run.ts';
import type { WorkspaceSpec } from '../contract/session.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import { onSession } from './audit-details.ts';
import type { SessionService } from './service.ts';
import { findSession, type ServiceParts, type ServiceStore } from './service-parts.ts';
import { toSession } from './views.ts';
import { WORKSPACE_RUN, WorkspaceCheck } from './workspace-run.ts';

/* The host of a session: chosen when the session is created, changed by an admin (Q23). */

/** How long a host's workers may take to say whether they have a workspace. */
const ANSWER_MS = 20_000;
const ASK_EVERY_MS = 50;

type Nodes = Pick<ServiceStore, 'listNodes' | 'time'>;

async function hostsWithWorkers(store: Nodes): Promise<string[]> {
  const [nodes, now] = [await store.listNodes(), await store.time()];
  const live = nodes.filter(
    ({ roles, leaseUntil }) => roles.includes('worker') && leaseUntil > now,
  );
  return [...new Set(live.map(({ host }) => host))].sort();
}

/**
 * Throws if a new session cannot run on this host, or on any host. An existing directory lives on
 * one host; if there are workers on several, it would be left to chance which one uses it, so the
 * request must name a host.
 */
export async function checkHost(
  store: Nodes,
  { path }: WorkspaceSpec,
  host: string | null,
): Promise<void> {
  if (host === null && path === undefined) return;
  const hosts = await hostsWithWorkers(store);
  if (host !== null ? hosts.includes(host) : hosts.length <= 1) return;
  if (host !== null) throw noWorker(host, hosts, 'workspace.host');
  throw new BatonError(
    'invalid_request',
    `Workers run on several hosts (${hosts.join(', ')}). Set workspace.host to the one that has ${path}.`,
    { details: { field: 'workspace.host', hosts } },
  );
}

const noWorker = (host: string, hosts: readonly string[], field: string): BatonError =>
  new BatonError(
    'invalid_request',
    `No live worker has the host id "${host}". Hosts with workers: ${hosts.join(', ') || 'none'}.`,
    { details: { field, hosts } },
  );

export const hostAway = (host: string, cause?: unknown): BatonError =>
  new BatonError('host_away', `No node on the host "${host}" answered in time. Try again later.`, {
    details: { host },
    cause,
  });

export function hostService(parts: ServiceParts): Pick<SessionService, 'move' | 'hostOf'> {
  const { store, queue, log, onWork, isStopped } = parts;
  return {
    hostOf: async (by, id) => (await findSession(parts, by, id, 'view')).host,

    async move(by, id, { host }) {
      requireRight(by, 'admin');
      const { level, ...current } = await findSession(parts, by, id, 'own');
      const { host: from } = current;
      if (from === host) return toSession(current, level);
      const hosts = await hostsWithWorkers(store);
      if (!hosts.includes(host)) throw noWorker(host, hosts, 'host');
      if (isStopped()) throw new BatonError('everything_stopped');
      const seen = await askHost(queue, host, id);
      if ('problem' in seen) {
        throw new BatonError(
          'workspace_unreachable',
          `The workspace of this session is not usable on "${host}": ${seen.problem}`,
          { details: { host } },
        );
      }
      const entry = onSession(by, 'session.move', id, { before: { host: from }, after: { host } });
      const command = { do: 'move', host, path: seen.path } as const;
      const { current: moved } = await store.audited(entry).changeSession(id, command);
      log.info({ sessionId: id, from, to: host }, 'Session moved');
      onWork();
      return toSession(moved, level);
    },
  };
}

/** Asks a worker on that host. Changes nothing, even if a process dies while it is asking. */
async function askHost(queue: RunQueue, host: string, sessionId: string): Promise<WorkspaceCheck> {
  const lane = newId();
  await queue.configure(lane, { host });
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
  throw hostAway(host);
}
