import { decideApproval, useApproval, withdrawApproval } from './decide.ts';
import { openApproval } from './open.ts';
import { readCall } from './read-call.ts';
import { putRules } from './rules.ts';
import { reconcileApprovals } from './settle.ts';

/** The operations on approvals and rules that write, by name; see ../../all.ts. */
export const APPROVAL_OPERATIONS = {
  openApproval,
  readCall,
  decideApproval,
  useApproval,
  withdrawApproval,
  reconcileApprovals,
  putRules,
};
