import { changeSession } from './change.ts';
import { closeConnections, openConnections } from './connections.ts';
import { createSession } from './create.ts';
import { putInvocation } from './invocations.ts';
import { deleteSession, forgetLeftWorkspace } from './remove.ts';
import { editRun, retryRun, sendMessage } from './send.ts';
import { putSettingOnce } from './settings.ts';
import { reconcileSessions } from './settle.ts';
import { putShares } from './shares.ts';
import { putSnapshot } from './snapshots.ts';

/** The operations on sessions that write, by name; see ../all.ts. */
export const SESSION_OPERATIONS = {
  createSession,
  changeSession,
  sendMessage,
  editRun,
  retryRun,
  deleteSession,
  forgetLeftWorkspace,
  openConnections,
  closeConnections,
  reconcileSessions,
  putInvocation,
  putSnapshot,
  putSettingOnce,
  putShares,
};
