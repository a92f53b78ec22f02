import { approvalEndpoints } from '../../contract/api/approvals.ts';
import type { Api } from '../route.ts';

export function addApprovalRoutes({ add, sessions }: Api): void {
  const at = approvalEndpoints;
  add(at.listApprovals, async ({ by, query }) => sessions().listApprovals(by, query));
  add(at.getApproval, async ({ by, params }) => sessions().getApproval(by, params.id));
  add(at.decideApproval, async ({ by, params, body }) =>
    sessions().decideApproval(by, params.id, body),
  );
  add(at.revealApproval, async ({ by, params }) => sessions().revealApproval(by, params.id));
}
