import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Approval } from '../../../src/contract/approval.ts';
import { client } from '../../api/client.ts';
import { pendingApprovalsQuery } from '../../api/queries.ts';
import { wordsOf } from '../../approvals/drafts.ts';
import { useDraft } from '../../approvals/use-draft.ts';
import { lazyPart } from '../../parts/lazy-part.ts';

const ApprovalCard = lazyPart(() => import('../../approvals/approval-card.tsx'), 'ApprovalCard');

/** The same query key as the card uses, so that both share the data. */
const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }) => client.getApproval({ params: { id } }, { signal }),
  });

/** A question from the agent, answered where it came up, or an unsent answer to it. */
export function InPlace({ asking: { id, state } }: { asking: Pick<Approval, 'id' | 'state'> }) {
  const [draft] = useDraft(id);
  return state === 'pending' || wordsOf(draft).length > 0 ? <Question approvalId={id} /> : null;
}

function Question({ approvalId }: { approvalId: string }) {
  useEffect(ApprovalCard.preload, []);
  const { data: pending } = useQuery(pendingApprovalsQuery);
  const listed = pending?.items.find(({ id }) => id === approvalId);
  const { data: known } = useQuery({
    ...approvalQuery(approvalId),
    enabled: listed === undefined,
  });
  const approval = listed ?? known;
  if (approval === undefined) return null;
  return (
    <div className="my-2">
      <ApprovalCard approval={approval} compact />
    </div>
  );
}
