import type { Readable } from 'node:stream';
import type { Authorised } from '../access/principal.ts';
import { BatonError } from '../contract/errors.ts';
import type { SessionStatus } from '../contract/session.ts';
import { toTime } from '../contract/values/time.ts';
import type {
  SyncStatus,
  WorkspaceHealth,
  WorkspaceStatus,
  WorkspaceView,
} from '../contract/workspace.ts';
import type { Artefacts } from '../workspaces/artefacts.ts';
import { WorkspaceError } from '../workspaces/provider.ts';
import { findSession } from './find-session.ts';
import type { ServiceParts } from './service-parts.ts';
import type { SessionWithFacts } from './session-record.ts';

/** The workspaces of sessions, and the artefacts kept beside them. */
export interface WorkspaceService {
  list(by: Authorised<'read'>, sessionId: string): Promise<WorkspaceView[]>;
  /** The full text of a result whose event contains only its beginning (E5). */
  artefact(by: Authorised<'read'>, sessionId: string, name: string): Promise<Readable>;
  /**
   * Creates the workspace if it is missing and this node may do so, then reports its status (W6).
   */
  syncStatus(by: Authorised<'run'>, sessionId: string): Promise<SyncStatus>;
}

export interface WorkspaceParts extends Pick<ServiceParts, 'store' | 'onWork'> {
  readonly artefacts: Artefacts;
  /**
   * Creates the workspace if it is missing and this node may do so; on failure, puts the session
   * into ERROR.
   */
  readonly ensureWorkspace?: (current: SessionWithFacts) => Promise<unknown>;
}

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
    list: async (by, id) => [await view(await findSession(parts, by, id, 'view'))],

    async artefact(by, id, name) {
      await findSession(parts, by, id, 'view');
      const artefact = await artefacts.read(id, name);
      if (artefact !== null) return artefact;
      throw new BatonError(
        'not_found',
        'There is no such artefact. Artefacts created before the session was moved are on the previous host.',
      );
    },

    async syncStatus(by, id) {
      const before = await findSession(parts, by, id, 'operate');
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
