import { BatonError } from '../contract/errors.ts';
import type { SessionStatus } from '../contract/session.ts';
import { toTime } from '../contract/time.ts';
import type { WorkspaceHealth, WorkspaceStatus, WorkspaceView } from '../contract/workspace.ts';
import type { Artefacts } from '../workspaces/artefacts.ts';
import { WorkspaceError } from '../workspaces/provider.ts';
import type { SessionService } from './service.ts';
import { findSession, findToChange, type ServiceParts } from './service-parts.ts';
import type { SessionWithFacts } from './session-record.ts';

type WorkspaceService = Pick<SessionService, 'workspaces' | 'syncStatus' | 'artefact'>;

export interface WorkspaceParts extends ServiceParts {
  readonly artefacts: Artefacts;
  /**
   * Creates the workspace if it is missing and this node may do so; on failure, puts the session
   * into ERROR.
   */
  readonly ensureWorkspace?: (current: SessionWithFacts) => Promise<unknown>;
}

/** Sessions' workspaces: reads their status, and checks one on demand (W6). */
export function workspaceService(parts: WorkspaceParts): WorkspaceService {
  const { store, ensureWorkspace, onWork, artefacts } = parts;

  const view = async (current: SessionWithFacts): Promise<WorkspaceView> => {
    const { session } = current;
    const { provider } = session.workspace;
    // This version has no other providers.
    if (provider !== 'directory') throw new BatonError('not_found');
    const owner = await store.findUser(session.ownerId);
    return {
      id: session.id,
      name: session.name,
      ownerId: session.ownerId,
      ownerName: owner?.name ?? session.ownerId,
      templateId: provider,
      templateName: provider,
      status: STATUS[session.status],
      health: healthOf(current),
      accessUrl: null,
      autoStart: false,
      lastUsedAt: toTime(session.lastActiveAt),
      createdAt: toTime(session.createdAt),
      updatedAt: toTime(session.updatedAt),
    };
  };

  return {
    workspaces: async (by, id) => [await view(await findSession(parts, by, id, 'view'))],

    async artefact(by, id, name) {
      await findSession(parts, by, id, 'view');
      const artefact = await artefacts.read(id, name);
      if (artefact !== null) return artefact;
      throw new BatonError(
        'not_found',
        'There is no such artefact. One made before its session was moved is on the previous host.',
      );
    },

    async syncStatus(by, id) {
      const before = await findToChange(parts, by, id);
      if (!hasEnded(before.session.status)) {
        await ensureWorkspace?.(before).catch((error: unknown) => {
          if (!(error instanceof WorkspaceError)) throw error;
        });
        onWork();
      }
      const current = await findSession(parts, by, id, 'view');
      const { name, status, health } = await view(current);
      return {
        sessionId: id,
        sessionStatus: current.session.status,
        workspaceCount: 1,
        workspaces: [{ id, name, status, health }],
        syncedAt: Date.now(),
      };
    },
  };
}

const STATUS: Record<SessionStatus, WorkspaceStatus> = {
  PENDING: 'pending',
  ACTIVE: 'running',
  IDLE: 'running',
  ERROR: 'failed',
  COMPLETED: 'stopped',
  TERMINATED: 'stopped',
};

const hasEnded = (status: SessionStatus): boolean => STATUS[status] === 'stopped';

function healthOf({ session, hostAway }: SessionWithFacts): WorkspaceHealth {
  if (hostAway || session.status === 'ERROR') return 'unhealthy';
  return STATUS[session.status] === 'running' ? 'healthy' : 'unknown';
}
