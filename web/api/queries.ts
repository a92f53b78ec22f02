import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from '@tanstack/react-query';
import type { Answer } from '../../src/client/client.ts';
import type { endpoints } from '../../src/contract/api/endpoints.ts';
import type { Session, SessionStatus } from '../../src/contract/session.ts';
import { client, queries } from './client.ts';
import { lastHintSeq } from './hint-cache.ts';

/* The queries of all pages. `live.ts` invalidates them. */

export interface SessionFilter {
  readonly ownerId?: string;
  readonly name?: string;
  readonly status?: SessionStatus;
  readonly tag?: string;
  readonly archived?: boolean;
}

const PAGE = 50;

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => client.getMe({}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  // Another user may have signed in (see `current-user.ts`).
  refetchOnWindowFocus: 'always',
});

export const sessionsQuery = (filter: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: ['sessions', filter],
    queryFn: ({ pageParam, signal }) =>
      client.listSessions(
        {
          query: {
            limit: PAGE,
            order: 'activity',
            ...filter,
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: ({ signal }) => client.getSession({ params: { id } }, { signal }),
    placeholderData: () => listedSession(id),
  });

/** A session from a loaded list; its log may have grown since. */
export function listedSession(id: string): Session | undefined {
  const lists = queries.getQueriesData<InfiniteData<Answer<typeof endpoints.listSessions>>>({
    queryKey: ['sessions'],
  });
  const pages = lists.flatMap(([, list]) => list?.pages ?? []);
  const session = pages.flatMap(({ items }) => items).find((each) => each.id === id);
  return session && { ...session, lastSeq: Math.max(session.lastSeq, lastHintSeq(id)) };
}

export const pendingApprovalsQuery = queryOptions({
  queryKey: ['approvals', 'pending'],
  queryFn: ({ signal }) =>
    client.listApprovals({ query: { state: 'pending', limit: 200 } }, { signal }),
});

export const statsQuery = queryOptions({
  queryKey: ['stats'],
  queryFn: ({ signal }) => client.getStats({}, { signal }),
});

/** Whether an administrator has stopped everything. */
export const stopQuery = queryOptions({
  queryKey: ['stop'],
  queryFn: ({ signal }) => client.getStop({}, { signal }),
});

/** User names by id: all names for administrators, only their own name for other users. */
export const userNamesQuery = queryOptions({
  queryKey: ['users', 'names'],
  queryFn: async ({ client: cache, signal }) => {
    const me = await cache.ensureQueryData(meQuery);
    const names = new Map([[me.user.id, me.user.name]]);
    if (!me.rights.includes('admin')) return names;
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } = {
        limit: 200,
        ...(cursor === null ? {} : { cursor }),
      };
      const page = await client.listUsers({ query }, { signal });
      for (const { id, name } of page.items) names.set(id, name);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return names;
  },
  staleTime: 5 * 60_000,
});
