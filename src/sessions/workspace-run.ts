import { z } from 'zod';
import { SessionId, type WorkspaceProviderName } from '../contract/session.ts';
import { WorkspaceError, type WorkspaceProvider } from '../workspaces/provider.ts';
import type { SessionStore } from './session-store.ts';

/*
 * Asks a host about a workspace, using a special type of run on a lane pinned to that host, so that
 * one of its workers responds. The run only reads; the caller acts on the response.
 */

export const WORKSPACE_RUN = 'workspace';

export const WorkspacePayload = z.object({ sessionId: SessionId });
export type WorkspacePayload = z.infer<typeof WorkspacePayload>;

/** The workspace's path on that host, or why it cannot be used there. */
export const WorkspaceCheck = z.union([
  z.object({ path: z.string() }),
  z.object({ problem: z.string() }),
]);
export type WorkspaceCheck = z.infer<typeof WorkspaceCheck>;

export interface CheckWorkspaceOptions {
  readonly store: Pick<SessionStore, 'getSession'>;
  readonly providerOf: (name: WorkspaceProviderName) => WorkspaceProvider;
}

/** The handler: checks for a session's workspace on this machine, and creates nothing. */
export const checkWorkspace =
  ({ store, providerOf }: CheckWorkspaceOptions) =>
  async ({ sessionId }: WorkspacePayload): Promise<WorkspaceCheck> => {
    const current = await store.getSession(sessionId);
    if (current === null) return { problem: 'The session no longer exists.' };
    const spec = current.session.workspace;
    const provider = providerOf(spec.provider);
    if ((await provider.observe({ sessionId, spec })) === 'missing') {
      const path = spec.path ?? `workspaces/${sessionId} in the data directory`;
      return { problem: `${path} does not exist on that host. Copy it from the old host first.` };
    }
    try {
      return { path: (await provider.ensure({ sessionId, spec })).root };
    } catch (error) {
      if (error instanceof WorkspaceError) return { problem: error.message };
      throw error;
    }
  };
