import { approvalEndpoints } from '../../contract/api/approvals.ts';
import type { ApprovalService } from '../../sessions/approvals/approval-service.ts';
import type { Api } from '../route.ts';

interface Services {
  readonly approvals: ApprovalService;
}

export function addApprovalRoutes({ add }: Api, services: () => Services): void {
  const at = approvalEndpoints;
  add(at.listApprovals, async ({ by, query }) => services().approvals.list(by, query));
  add(at.getApproval, async ({ by, params }) => services().approvals.get(by, params.id));
  add(at.decideApproval, async ({ by, params, body }) =>
    services().approvals.decide(by, params.id, body),
  );
  add(at.revealApproval, async ({ by, params }) => services().approvals.reveal(by, params.id));
}
