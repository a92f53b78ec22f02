import { z } from 'zod';
import { SessionId, SessionStatus } from './session.ts';
import { Time } from './values/time.ts';

/** The states have Coder's names, because the workspace API comes from Coder. */
export const WorkspaceStatus = z.enum(['pending', 'running', 'stopped', 'failed']);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>;
export const WorkspaceHealth = z.enum(['healthy', 'unhealthy', 'unknown']);
export type WorkspaceHealth = z.infer<typeof WorkspaceHealth>;

/** A workspace as the API shows it. A session's workspace has the session's id. */
export const WorkspaceView = z.object({
  id: z.string(),
  name: z.string(),
  ownerId: z.string(),
  ownerName: z.string(),
  /** The provider's template, or the provider itself if it has none. */
  templateId: z.string(),
  templateName: z.string(),
  status: WorkspaceStatus,
  health: WorkspaceHealth,
  accessUrl: z.string().nullable(),
  autoStart: z.boolean(),
  lastUsedAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
});
export type WorkspaceView = z.infer<typeof WorkspaceView>;

export const SyncStatus = z.object({
  sessionId: SessionId,
  sessionStatus: SessionStatus,
  workspaceCount: z.int(),
  workspaces: z.array(WorkspaceView.pick({ id: true, name: true, status: true, health: true })),
  /** In epoch milliseconds; this is the only time in the API in this format. */
  syncedAt: z.int(),
});
export type SyncStatus = z.infer<typeof SyncStatus>;
