import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../api/client.ts';
import { pendingApprovalsQuery } from '../api/queries.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';

/** The same key as the card asks under, so that both know the same. */
const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }) => client.getApproval({ params: { id } }, { signal }),
  });

/** A question of the agent, answered where it came up. */
export function InPlace({ approvalId }: { approvalId: string }) {
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
