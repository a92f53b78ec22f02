import type { NewAuditEntry } from '../../access/principal.ts';
import type { Op } from '../statement.ts';
import { appendAudit } from './access/audit.ts';
import { exchangeUsage, saveLoad } from './access/reports.ts';
import {
  createCode,
  endSignIn,
  endSignIns,
  rotateSignIn,
  signIn,
  touchSignIn,
} from './access/sign-ins.ts';
import { createTicket, takeTicket } from './access/tickets.ts';
import { createToken, revokeToken, touchTokens } from './access/tokens.ts';
import { createUser, updateUser } from './access/users.ts';
import { applyCommand } from './change.ts';
import { claim } from './claim.ts';
import type { Dialect, Done } from './dialect.ts';
import { enqueue } from './enqueue.ts';
import { admitHost, registerHost } from './hosts.ts';
import { join, leave, renew, takeOver } from './nodes.ts';
import { purge } from './purge.ts';
import { fireSchedule, putSchedule, removeSchedule } from './schedules.ts';
import { readCall } from './sessions/approvals/approval-reads.ts';
import { decideApproval, useApproval, withdrawApproval } from './sessions/approvals/decide.ts';
import { openApproval } from './sessions/approvals/open.ts';
import { reconcileApprovals } from './sessions/approvals/reconcile.ts';
import { putRules } from './sessions/approvals/rules.ts';
import { changeSession } from './sessions/change.ts';
import { closeConnections, openConnections } from './sessions/connections.ts';
import { createSession } from './sessions/create.ts';
import { putInvocation } from './sessions/invocations.ts';
import { reconcileSessions } from './sessions/reconcile.ts';
import { deleteSession, forgetLeftWorkspace } from './sessions/remove.ts';
import { editRun, retryRun, sendMessage } from './sessions/send.ts';
import { putSettingOnce } from './sessions/settings.ts';
import { putShares } from './sessions/shares.ts';
import { putSnapshot } from './sessions/snapshots.ts';
import { reconcileSteers, releaseSteers } from './sessions/steers/requeue.ts';
import { markSteer, steerMessage } from './sessions/steers/steer.ts';
import { setStop } from './stop.ts';
import { write } from './write.ts';

/** Every writing operation by name, because functions cannot be sent to the writer thread. */
const WRITING = {
  enqueue,
  claim,
  write,
  change: applyCommand,
  join,
  renew,
  leave,
  takeOver,
  purge,
  putSchedule,
  removeSchedule,
  fireSchedule,
  setStop,
  registerHost,
  admitHost,

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

  createUser,
  updateUser,
  createToken,
  revokeToken,
  touchTokens,
  createCode,
  signIn,
  touchSignIn,
  rotateSignIn,
  endSignIn,
  endSignIns,
  createTicket,
  takeTicket,
  exchangeUsage,
  saveLoad,

  openApproval,
  readCall,
  decideApproval,
  useApproval,
  withdrawApproval,
  reconcileApprovals,
  putRules,

  steerMessage,
  markSteer,
  releaseSteers,
  reconcileSteers,
};
type WritingName = keyof typeof WRITING;

export const OPERATIONS = { ...WRITING, audited };

/** A writing operation together with its line in the audit log, in one transaction (P6). */
function* audited(
  dialect: Dialect,
  now: number,
  entry: NewAuditEntry,
  name: WritingName,
  rest: readonly unknown[],
): Op<Done<unknown>> {
  const done = yield* operation(name, dialect, now, rest);
  const userId = entry.userId === '' ? (done.who ?? '') : entry.userId;
  if (done.changed !== false) yield* appendAudit(now, { ...entry, userId });
  return done;
}

export type OperationName = keyof typeof OPERATIONS;
type Rest<F> = F extends (dialect: Dialect, now: number, ...rest: infer R) => unknown ? R : never;
export type Arguments<N extends OperationName> = Rest<(typeof OPERATIONS)[N]>;
export type Answer<N extends OperationName> =
  ReturnType<(typeof OPERATIONS)[N]> extends Op<Done<infer T>> ? T : never;

export function operation(
  name: OperationName,
  dialect: Dialect,
  now: number,
  rest: readonly unknown[],
): Op<Done<unknown>> {
  const run = OPERATIONS[name] as (
    dialect: Dialect,
    now: number,
    ...rest: readonly unknown[]
  ) => Op<Done<unknown>>;
  return run(dialect, now, ...rest);
}
