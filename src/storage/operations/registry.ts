import type { NewAuditEntry } from '../../access/principal.ts';
import type { Op } from '../statement.ts';
import { appendAudit, listAudit } from './access/audit.ts';
import { findCredential } from './access/credential.ts';
import { exchangeUsage, listNodeViews, saveLoad } from './access/reports.ts';
import {
  createCode,
  endSignIn,
  endSignIns,
  hasCode,
  lookUpSignIn,
  rotateSignIn,
  signIn,
  touchSignIn,
} from './access/sign-ins.ts';
import { createTicket, takeTicket } from './access/tickets.ts';
import {
  createToken,
  findToken,
  getToken,
  listTokens,
  revokeToken,
  touchTokens,
} from './access/tokens.ts';
import { createUser, findUser, getUser, listUsers, updateUser } from './access/users.ts';
import { applyCommand } from './change.ts';
import { claim } from './claim.ts';
import type { Dialect, Done } from './dialect.ts';
import { enqueue } from './enqueue.ts';
import { admitHost, isDataShared, listHosts, registerHost } from './hosts.ts';
import { readRun } from './load.ts';
import { join, leave, listExpired, poll, renew, takeOverNode } from './nodes.ts';
import { purge } from './purge.ts';
import {
  counts,
  getLane,
  lastSeqs,
  list,
  listAfter,
  listAfterEach,
  listNodes,
  listQueued,
  strandedHosts,
  unhandledTypes,
} from './queue-reads.ts';
import {
  dueSchedules,
  fireSchedule,
  getSchedule,
  listSchedules,
  putSchedule,
  removeSchedule,
} from './schedules.ts';
import {
  getApproval,
  listApprovals,
  listApprovalsOf,
  readCall,
  speakersIn,
} from './sessions/approvals/approval-reads.ts';
import { decideApproval, useApproval, withdrawApproval } from './sessions/approvals/decide.ts';
import { openApproval } from './sessions/approvals/open.ts';
import { reconcileApprovals } from './sessions/approvals/reconcile.ts';
import { putRules, readRules, rulesFor, sharedRules } from './sessions/approvals/rules.ts';
import { readAttachments } from './sessions/attachments.ts';
import { changeSession } from './sessions/change.ts';
import { closeConnections, openConnections } from './sessions/connections.ts';
import { listCosts } from './sessions/costs.ts';
import { createSession } from './sessions/create.ts';
import {
  costsOf,
  listInvocations,
  listUnfinished,
  putInvocation,
  sumByModel,
  sumInvocations,
} from './sessions/invocations.ts';
import { reconcileSessions } from './sessions/reconcile.ts';
import { deleteSession, forgetLeftWorkspace, listLeftWorkspaces } from './sessions/remove.ts';
import { editRun, readOriginal, retryRun, sendMessage } from './sessions/send.ts';
import {
  countPending,
  countSessions,
  getSession,
  getSessionFor,
  listPending,
  listSessions,
} from './sessions/session-reads.ts';
import { putSettingOnce, readSetting } from './sessions/settings.ts';
import { listShares, putShares } from './sessions/shares.ts';
import { putSnapshot, readSnapshot } from './sessions/snapshots.ts';
import { stats } from './sessions/stats.ts';
import { listSteers } from './sessions/steers/list-steers.ts';
import { reconcileSteers, releaseSteers } from './sessions/steers/requeue.ts';
import { markSteer, steerMessage } from './sessions/steers/steer.ts';
import { countVisible, listVisibleRuns } from './sessions/visible.ts';
import { getStop, setStop } from './stop.ts';
import { write } from './write.ts';

/*
 * Every operation under the name that its port gives it. The stores get their methods from these
 * tables (baton-store.ts), and the SQLite store sends a write to its thread by name, because functions
 * cannot be sent.
 */

/** Each operation is one transaction, and receives the transaction's time. */
export const WRITES = {
  enqueue,
  claim,
  write,
  change: applyCommand,
  join,
  renew,
  leave,
  takeOverNode,
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

/** Reads that use the same statements in both databases. */
export const READS = {
  get: readRun,
  getLane,
  listQueued,
  counts,
  listAfter,
  listNodes,
  getSchedule,
  listSchedules,
  getStop,
  isDataShared,

  readOriginal,
  readAttachments,
  listInvocations,
  listUnfinished,
  sumInvocations,
  sumByModel,
  listCosts,
  readSnapshot,
  countSessions,
  countVisible,
  listLeftWorkspaces,
  readSetting,

  getUser,
  findUser,
  listUsers,
  getToken,
  listTokens,
  hasCode,
  listShares,
  listAudit,

  getApproval,
  listApprovals,
  listApprovalsOf,
  rulesFor,
  speakersIn,
  sharedRules,
  readRules,
};

/** Reads that need the store's time, or statements that differ between the databases. */
export const DIALECT_READS = {
  list,
  listAfterEach,
  lastSeqs,
  poll,
  unhandledTypes,
  strandedHosts,
  listExpired,
  dueSchedules,
  listHosts,

  getSession,
  getSessionFor,
  listSessions,
  listPending,
  costsOf,
  countPending,
  listVisibleRuns,
  stats,

  findToken,
  lookUpSignIn,
  findCredential,
  listNodeViews,

  listSteers,
};

export type WriteName = keyof typeof WRITES;
type Rest<F> = F extends (dialect: Dialect, now: number, ...rest: infer R) => unknown ? R : never;
export type Arguments<N extends WriteName> = Rest<(typeof WRITES)[N]>;
export type Answer<N extends WriteName> =
  ReturnType<(typeof WRITES)[N]> extends Op<Done<infer T>> ? T : never;

/** A write, with the line that it adds to the audit log in the same transaction (P6). */
export interface WriteCall<N extends WriteName = WriteName> {
  readonly name: N;
  readonly args: Readonly<Arguments<N>>;
  readonly audit?: NewAuditEntry | undefined;
}

export function operation(call: WriteCall, dialect: Dialect, now: number): Op<Done<unknown>> {
  const run = WRITES[call.name] as (
    dialect: Dialect,
    now: number,
    ...args: readonly unknown[]
  ) => Op<Done<unknown>>;
  const op = run(dialect, now, ...call.args);
  return call.audit === undefined ? op : withAudit(op, now, call.audit);
}

function* withAudit(op: Op<Done<unknown>>, now: number, entry: NewAuditEntry): Op<Done<unknown>> {
  const done = yield* op;
  const userId = entry.userId === '' ? (done.who ?? '') : entry.userId;
  if (done.changed !== false) yield* appendAudit(now, { ...entry, userId });
  return done;
}
