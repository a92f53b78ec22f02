import { z } from 'zod';
import { SessionId, type WorkspaceProviderName } from '../contract/session.ts';
import { WorkspaceError, type WorkspaceProvider } from '../workspaces/provider.ts';
import type { SessionStore } from './session-store.ts';

/*
 * Asking a host about a workspace: a run of a type of its own, on a lane pinned to that host, so that
 * one of its workers answers it. It only reads; what follows from the answer is for those who asked.
 */

export const WORKSPACE_RUN = 'workspace';

export const WorkspacePayload = z.object({ sessionId: SessionId });
export type WorkspacePayload = z.infer<typeof WorkspacePayload>;

/** Where it is on that host, or why it cannot be used there. */
export const WorkspaceSeen = z.union([
  z.object({ path: z.string() }),
  z.object({ problem: z.string() }),
]);
export type WorkspaceSeen = z.infer<typeof WorkspaceSeen>;

export interface SeeWorkspaceOptions {
  readonly store: Pick<SessionStore, 'getSession'>;
  readonly providerOf: (name: WorkspaceProviderName) => WorkspaceProvider;
}

/** The handler: looks for the workspace of a session on this machine, and makes nothing. */
export const seeWorkspace =
  ({ store, providerOf }: SeeWorkspaceOptions) =>
  async ({ sessionId }: WorkspacePayload): Promise<WorkspaceSeen> => {
    const found = await store.getSession(sessionId);
    if (found === null) return { problem: 'The session is gone.' };
    const spec = found.session.workspace;
    const provider = providerOf(spec.provider);
    if ((await provider.observe({ sessionId, spec })) === 'missing') {
      const place = spec.path ?? `workspaces/${sessionId} in the data directory`;
      return { problem: `${place} does not exist on that host. Copy it from the old host first.` };
    }
    try {
      return { path: (await provider.ensure({ sessionId, spec })).path };
    } catch (error) {
      if (error instanceof WorkspaceError) return { problem: error.message };
      throw error;
    }
  };
