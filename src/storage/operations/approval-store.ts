import type { ApprovalStore } from '../../sessions/approvals/approval-store.ts';
import {
  getApproval,
  listApprovals,
  listApprovalsOf,
} from './sessions/approvals/approval-reads.ts';
import { readRules, rulesFor, sharedRules } from './sessions/approvals/rules.ts';
import type { StoreParts } from './store.ts';

/** The port for approvals and rules, built on the operations and the same for every database. */
export function approvalStoreOver({
  call,
  read,
}: Pick<StoreParts, 'call' | 'read'>): ApprovalStore {
  return {
    openApproval: (approval) => call('openApproval', approval),
    getApproval: (id) => read(getApproval(id)),
    readCall: (id) => call('readCall', id),
    listApprovals: (filter) => read(listApprovals(filter)),
    listApprovalsOf: (runId) => read(listApprovalsOf(runId)),
    decideApproval: (id, answer) => call('decideApproval', id, answer),
    useApproval: (id, fence) => call('useApproval', id, fence),
    withdrawApproval: (id, reason) => call('withdrawApproval', id, reason),
    reconcileApprovals: (limit) => call('reconcileApprovals', limit),
    rulesFor: (sessionId) => read(rulesFor(sessionId)),
    sharedRules: () => read(sharedRules()),
    readRules: (scope) => read(readRules(scope)),
    putRules: (scope, rules) => call('putRules', scope, rules),
  };
}
