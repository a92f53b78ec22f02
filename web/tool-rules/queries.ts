import { queryOptions } from '@tanstack/react-query';
import type { Channel } from '../../src/contract/message.ts';
import type { ScopeRules } from '../../src/contract/policy.ts';
import { client, queries } from '../api/client.ts';

/*
 * Approvals and other users may change rules at any time without a hint, so the cache is never
 * used.
 */

export const globalRulesQuery = queryOptions({
  queryKey: ['rules', 'global'],
  queryFn: ({ signal }) => client.getGlobalRules({}, { signal }),
  staleTime: 0,
});

export const channelRulesQuery = (channel: Channel) =>
  queryOptions({
    queryKey: ['rules', 'channel', channel],
    queryFn: ({ signal }) => client.getChannelRules({ params: { channel } }, { signal }),
    staleTime: 0,
  });

export const sessionRulesQuery = (id: string) =>
  queryOptions({
    queryKey: ['rules', 'session', id],
    queryFn: ({ signal }) => client.getSessionRules({ params: { id } }, { signal }),
    staleTime: 0,
  });

/** How to change the rules of a scope. */
export interface RuleAccess {
  readonly read: () => Promise<ScopeRules>;
  readonly save: (rules: ScopeRules) => Promise<void>;
}

export const globalRules: RuleAccess = {
  read: () => queries.fetchQuery(globalRulesQuery),
  save: async (body) => {
    queries.setQueryData(globalRulesQuery.queryKey, await client.putGlobalRules({ body }));
  },
};

export const channelRules = (channel: Channel): RuleAccess => ({
  read: () => queries.fetchQuery(channelRulesQuery(channel)),
  save: async (body) => {
    const put = await client.putChannelRules({ params: { channel }, body });
    queries.setQueryData(channelRulesQuery(channel).queryKey, put);
  },
});

export const sessionRules = (id: string): RuleAccess => ({
  read: () => queries.fetchQuery(sessionRulesQuery(id)),
  save: async (body) => {
    const put = await client.putSessionRules({ params: { id }, body });
    queries.setQueryData(sessionRulesQuery(id).queryKey, put);
  },
});
