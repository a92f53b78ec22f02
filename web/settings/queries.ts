import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../api/client.ts';
import type { AuditFilter } from './audit-filter.ts';

const PAGE = 50;
/** Nodes report their load every few seconds. */
const NODES_MS = 5000;

const paged = {
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }) => nextCursor,
};

const pageOf = (cursor: string | null) => ({
  limit: PAGE,
  ...(cursor === null ? {} : { cursor }),
});

export const tokensQuery = infiniteQueryOptions({
  queryKey: ['tokens'],
  queryFn: ({ pageParam, signal }) => client.listTokens({ query: pageOf(pageParam) }, { signal }),
  ...paged,
});

export const usersQuery = infiniteQueryOptions({
  queryKey: ['users', 'list'],
  queryFn: ({ pageParam, signal }) => client.listUsers({ query: pageOf(pageParam) }, { signal }),
  ...paged,
});

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      client.listAudit({ query: { ...pageOf(pageParam), ...filter } }, { signal }),
    ...paged,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

export const nodesQuery = queryOptions({
  queryKey: ['nodes'],
  queryFn: ({ signal }) => client.listNodes({}, { signal }),
  refetchInterval: NODES_MS,
});
