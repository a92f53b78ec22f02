import { useQuery } from '@tanstack/react-query';
import { meQuery, pendingApprovalsQuery } from '../api/queries.ts';
import { type Waiting, waitingFor } from '../approvals/waiting.ts';

const NONE: Waiting = { count: 0, isMore: false };

/** How many questions are waiting for the current user. */
export function useWaiting(): Waiting {
  const { data: me } = useQuery(meQuery);
  const { data: pending } = useQuery(pendingApprovalsQuery);
  return me === undefined || pending === undefined ? NONE : waitingFor(me.rights, pending);
}
