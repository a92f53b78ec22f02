import { z } from 'zod';
import {
  Approval,
  ApprovalId,
  ApprovalOriginal,
  ApprovalState,
  DecideApproval,
} from '../approval.ts';
import { SessionId } from '../session.ts';
import { endpoint, page, pageQuery } from './endpoint.ts';

const group = 'Approvals';
const params = z.strictObject({ id: ApprovalId });

export const approvalEndpoints = {
  listApprovals: endpoint({
    method: 'GET',
    path: '/api/v1/approvals',
    summary: 'Questions from agents, newest first',
    group,
    query: z.strictObject({
      ...pageQuery,
      state: ApprovalState.optional(),
      sessionId: SessionId.optional(),
    }),
    answer: page(Approval),
    errors: ['not_found'],
  }),
  getApproval: endpoint({
    method: 'GET',
    path: '/api/v1/approvals/{id}',
    summary: 'One question',
    group,
    params,
    answer: Approval,
    errors: ['not_found'],
  }),
  decideApproval: endpoint({
    method: 'POST',
    path: '/api/v1/approvals/{id}',
    summary: 'Answer a question; only the first answer counts',
    group,
    params,
    body: DecideApproval,
    example: { decision: 'allow', scope: 'once' },
    answer: Approval,
    errors: ['not_found', 'approval_decided', 'contains_mask', 'invalid_input'],
  }),
  // A POST, because it requires the right to answer and is audited.
  revealApproval: endpoint({
    method: 'POST',
    path: '/api/v1/approvals/{id}/original',
    summary: 'Show the unmasked input of a question',
    group,
    params,
    reads: true,
    answer: ApprovalOriginal,
    errors: ['not_found'],
  }),
};
