import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../api/client.ts';
import { readLog } from '../api/read-log.ts';
import { windowTo } from './log-window.ts';

const WINDOW = 500;
const RUNS = 20;

/** The log up to the event with a given seq, newest window first. */
export const logQuery = (id: string, last: number) =>
  infiniteQueryOptions({
    queryKey: ['log', id, last],
    queryFn: async ({ pageParam, signal }) => {
      const { after, before } = windowTo(pageParam, WINDOW);
      const items = await readLog(client, id, { after, last: pageParam, signal });
      return { items: items.reverse(), before };
    },
    initialPageParam: last,
    getNextPageParam: ({ before }) => before,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

export const costQuery = (id: string) =>
  queryOptions({
    queryKey: ['runs', id, 'cost'],
    queryFn: ({ signal }) => client.getCost({ params: { id } }, { signal }),
  });

export const sessionRunsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['runs', id, 'newest'],
    queryFn: ({ pageParam, signal }) =>
      client.listRuns(
        {
          query: {
            sessionId: id,
            order: 'newest',
            limit: RUNS,
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const invocationsQuery = (runId: string) =>
  queryOptions({
    queryKey: ['runs', 'invocations', runId],
    queryFn: ({ signal }) => client.listInvocations({ params: { id: runId } }, { signal }),
  });

export const workspacesQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'workspaces'],
    queryFn: ({ signal }) => client.listWorkspaces({ params: { id } }, { signal }),
  });

export const sharesQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id, 'shares'],
    queryFn: ({ signal }) => client.getShares({ params: { id } }, { signal }),
  });
