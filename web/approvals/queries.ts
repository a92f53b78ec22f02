import { infiniteQueryOptions, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { Approval, DecideApproval } from '../../src/contract/approval.ts';
import { isBatonError } from '../../src/contract/errors.ts';
import { client, queries } from '../api/client.ts';
import { meQuery, pendingApprovalsQuery, userNamesQuery } from '../api/queries.ts';
import { sessionRulesQuery } from '../tool-rules/queries.ts';
import { mayAnswer } from './waiting.ts';

const PAGE = 20;

const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', 'one', id],
    queryFn: ({ signal }) => client.getApproval({ params: { id } }, { signal }),
  });

export const recentApprovalsQuery = infiniteQueryOptions({
  queryKey: ['approvals', 'recent'],
  queryFn: ({ pageParam, signal }) =>
    client.listApprovals(
      { query: { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) } },
      { signal },
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
});

/** The current state of a question, which is reloaded once it is no longer waiting. */
export function useLatest(given: Approval): Approval {
  const { data: pending } = useQuery(pendingApprovalsQuery);
  const left = pending !== undefined && !pending.items.some(({ id }) => id === given.id);
  const { data: known } = useQuery({
    ...approvalQuery(given.id),
    enabled: ({ state: { data } }) =>
      given.state === 'pending' && left && (data === undefined || data.state === 'pending'),
  });
  return given.state === 'pending' && known !== undefined ? known : given;
}

type Body = Omit<DecideApproval, 'scope'> & Partial<Pick<DecideApproval, 'scope'>>;

interface DecideCallbacks {
  readonly onSent: () => void;
  /** Called before the page changes. */
  readonly onDone: () => void;
  readonly onRefused: () => void;
}

export function useDecide({ id }: Approval, { onSent, onDone, onRefused }: DecideCallbacks) {
  return useMutation({
    mutationFn: (body: Body) => client.decideApproval({ params: { id }, body }),
    onMutate: onSent,
    onSuccess: (decided) => {
      onDone();
      queries.setQueryData(approvalQuery(id).queryKey, decided);
      queries.setQueryData(
        pendingApprovalsQuery.queryKey,
        (known) =>
          known && { ...known, items: known.items.filter((each) => each.id !== decided.id) },
      );
      void queries.invalidateQueries({ queryKey: recentApprovalsQuery.queryKey });
      if (decided.scope === 'session') {
        const { queryKey } = sessionRulesQuery(decided.sessionId);
        void queries.invalidateQueries({ queryKey });
      }
    },
    onError: (error) => {
      onRefused();
      if (isBatonError(error, 'approval_decided')) {
        void queries.invalidateQueries({ queryKey: ['approvals'] });
      }
    },
  });
}

/** Whether the current user may answer the question. */
export function useMayAnswer(approval: Approval): boolean {
  const { data: me } = useQuery(meQuery);
  return me !== undefined && mayAnswer(me.rights, approval);
}

/** A user's name; only administrators can see all names. */
export function useNameOf(id: string | null): string | 'you' | null {
  const { data: me } = useQuery(meQuery);
  const { data: names } = useQuery({ ...userNamesQuery, enabled: id !== null });
  if (id === null) return null;
  return me?.user.id === id ? 'you' : (names?.get(id) ?? null);
}
